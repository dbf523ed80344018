/**
 * The transport of task handlers, for `@EventPattern` and `transportId`. Two copies of this library agree on it.
 *
 * @publicApi
 */
export const REDIS_STREAMS = Symbol.for('nestjs-task-streams');

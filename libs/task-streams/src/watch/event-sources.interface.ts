/** Where to listen to the workers of this process: a `FactSource`. */
export const WORKER_EVENTS = Symbol.for('nestjs-task-streams:worker-events');
/** Where to listen to whatever sends tasks in this process: a `FactSource`, and the observer of every client too. */
export const PRODUCER_EVENTS = Symbol.for('nestjs-task-streams:producer-events');

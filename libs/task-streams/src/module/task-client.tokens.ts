import type { InjectionToken } from '@nestjs/common';
import { requireQueueName } from '../task/names.js';
import { TaskClient } from '../producer/task-client.js';

/** The client that sends to the queue of each task. */
export const DEFAULT_CLIENT = Symbol.for('nestjs-task-streams:client');

/**
 * The token of a client, for tests and custom providers.
 *
 * @param queue The queue it sends to, declared with `forFeature`. Default: the client that finds the queue by the task.
 * @throws InvalidNameError
 * @publicApi
 */
export function getTaskClientToken(queue?: string): InjectionToken<TaskClient> {
  return queue === undefined ? TaskClient : `nestjs-task-streams:client:${requireQueueName(queue)}`;
}

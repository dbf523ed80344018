import { Inject } from '@nestjs/common';
import { getTaskClientToken } from './task-client.tokens.js';

/**
 * Injects the client of a queue, whose tasks go there whatever their name. The module imports
 * `TaskStreamsModule.forFeature([…])` with the queue.
 *
 * @param queue Default: the client that finds the queue by the task, the same as injecting `TaskClient`.
 * @publicApi
 */
export function InjectTaskClient(queue?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getTaskClientToken(queue));
}

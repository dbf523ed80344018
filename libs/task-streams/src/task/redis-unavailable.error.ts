import { TaskStreamsError } from './task-streams.error.js';

/**
 * Redis did not answer a question in time (the state of a task, a list of dead letters). Nothing was changed.
 *
 * @publicApi
 */
export class RedisUnavailableError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_REDIS_UNAVAILABLE';

  constructor(reason: string, options?: ErrorOptions) {
    super(`Redis did not answer: ${reason}. Check that it runs at the configured address, then ask again.`, options);
  }
}

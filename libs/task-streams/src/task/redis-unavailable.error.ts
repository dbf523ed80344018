import { withoutFullStop } from './sentence.js';
import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * Redis did not answer a question in time (the state of a task, a list of dead letters), or does not let this process
 * ask it. Nothing was changed.
 *
 * @publicApi
 */
@ErrorName('RedisUnavailableError')
export class RedisUnavailableError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_REDIS_UNAVAILABLE';

  /** @param cure What to do: one sentence without its full stop. */
  constructor(reason: string, options?: ErrorOptions & { readonly cure?: string | undefined }) {
    const cure = options?.cure ?? 'Check that it runs at the configured address, then ask again';
    super(`Redis did not answer: ${withoutFullStop(reason)}. ${cure}.`, options);
  }
}

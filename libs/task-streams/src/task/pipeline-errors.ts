import { TaskStreamsError } from './task-streams.error.js';

/**
 * The pipeline of a task ended without an error, but nobody said that the work is done: an interceptor answered in place
 * of the handler, or an exception filter swallowed the error. The attempt counts as failed.
 *
 * @publicApi
 */
export class TaskNotCompletedError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_NOT_COMPLETED';

  constructor(taskName: string) {
    super(
      `Task "${taskName}" ended without its handler having returned: an interceptor answered in its place, or a filter ` +
        'swallowed an error. Call ctx.complete(value) in the interceptor where that means success.',
    );
  }
}

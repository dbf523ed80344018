import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * The pipeline of a task ended without an error, but nobody said that the work is done: an interceptor answered in place
 * of the handler, or an exception filter swallowed the error. The attempt counts as failed.
 *
 * @publicApi
 */
@ErrorName('TaskNotCompletedError')
export class TaskNotCompletedError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_NOT_COMPLETED';

  constructor(taskName: string) {
    super(
      `Task "${taskName}" ended without its handler having returned: an interceptor answered in its place, or a filter ` +
        'swallowed an error. Call ctx.complete(value) in the interceptor where that means success.',
    );
  }
}

/**
 * The handler has returned, and a follow-up it had enqueued can never be added: its id is known with another payload, or
 * Redis does not allow it. Nothing of the completion was done; the task is a dead letter with reason `follow-up-refused`.
 *
 * @publicApi
 */
@ErrorName('FollowUpRefusedError')
export class FollowUpRefusedError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_FOLLOW_UP_REFUSED';

  constructor(taskName: string, why: string) {
    super(
      `Task "${taskName}" has run, and its follow-up ${why}. Neither it nor any of its follow-ups was added or completed. ` +
        'Give the follow-up another id, or allow what was refused, then redrive the task: its handler runs again.',
    );
  }
}

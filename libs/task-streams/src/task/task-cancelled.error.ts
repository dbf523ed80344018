import type { CancelRequest } from './cancel-request.js';
import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * Somebody cancelled the task. In a handler `ctx.signal` is aborted with this error: an attempt that throws now is over
 * for good, without a retry and without a dead letter; one that returns all the same is completed. Who waits in
 * `TaskClient.result` gets it too.
 *
 * @publicApi
 */
@ErrorName('TaskCancelledError')
export class TaskCancelledError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_TASK_CANCELLED';

  constructor(
    readonly taskId: string,
    queue: string,
    /** Who asked for it, when and why. */
    readonly request: CancelRequest,
  ) {
    const { by, reason } = request;
    const who = by === undefined ? '' : ` by ${by}`;
    super(`Task ${taskId} of queue "${queue}" was cancelled${who}${reason === undefined ? '' : `: ${reason}`}`);
  }

  /** Why; `undefined` where nobody said. */
  get reason(): string | undefined {
    return this.request.reason;
  }

  /** Who asked for it; `undefined` where nobody said. */
  get by(): string | undefined {
    return this.request.by;
  }
}

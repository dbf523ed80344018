import type { ErrorDescription } from './error-description.js';
import type { TaskState } from './task-state.js';
import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * The task ended without a result: it is a dead letter, was cancelled or has expired.
 *
 * @publicApi
 */
@ErrorName('TaskFailedError')
export class TaskFailedError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_TASK_FAILED';

  constructor(
    readonly taskId: string,
    queue: string,
    /** The state the task ended in. */
    readonly state: TaskState,
    /** The error of its last attempt, where there was one. */
    readonly error: ErrorDescription | undefined,
  ) {
    const why = error === undefined ? '' : `, its last error was ${error.name}: ${error.message}`;
    const cure =
      state === 'dead' ? ' Look at it among the dead letters of the queue; it can be redriven from there.' : '';
    super(`Task ${taskId} of queue "${queue}" ended as ${state}${why}.${cure}`);
  }
}

/**
 * The task did not end in time. It goes on: ask again later.
 *
 * @publicApi
 */
@ErrorName('ResultTimeoutError')
export class ResultTimeoutError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_RESULT_TIMEOUT';

  constructor(
    readonly taskId: string,
    queue: string,
    /** The state the task was in when it was last looked at. */
    readonly state: TaskState,
    timeoutMs: number,
  ) {
    super(
      `Task ${taskId} of queue "${queue}" is still ${state} after ${timeoutMs} ms. The task goes on: ask again later, ` +
        'give a longer timeoutMs, or check that a worker takes tasks from this queue.',
    );
  }
}

/**
 * Nothing is known of the task: it was never enqueued there, or what was kept of it has been removed.
 *
 * @publicApi
 */
@ErrorName('TaskNotFoundError')
export class TaskNotFoundError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_TASK_NOT_FOUND';

  constructor(
    readonly taskId: string,
    queue: string,
  ) {
    super(
      `No task ${taskId} is known in queue "${queue}". Check the id and the queue; a task that ended is remembered for ` +
        'retention.completedMs, a dead letter for retention.deadLettersMs.',
    );
  }
}

/**
 * The task is completed, but its result was not kept.
 *
 * @publicApi
 */
@ErrorName('ResultOmittedError')
export class ResultOmittedError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_RESULT_OMITTED';

  constructor(
    readonly taskId: string,
    queue: string,
    /** `too-large`, `not-serializable`, `off`, `duplicate` or `duplicate-in-progress`. */
    readonly reason: string,
  ) {
    super(
      reason.startsWith('duplicate')
        ? `Task ${taskId} of queue "${queue}" was not run (${reason}): another task did its work under the same ` +
            "idempotency key. Ask for the result of that one, or let the handler replay it (onDuplicate: 'replay')."
        : `Task ${taskId} of queue "${queue}" is completed, but its result was not kept (${reason}). Let the handler ` +
            'return a small piece of JSON, such as the place where the data lies, or change retention.results and ' +
            'retention.maxResultBytes.',
    );
  }
}

import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * Thrown by a handler: this task can never succeed, do not try again. It becomes a dead letter at once, with reason
 * `non-retryable`.
 *
 * @publicApi
 */
@ErrorName('UnrecoverableError')
export class UnrecoverableError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_UNRECOVERABLE';
}

/**
 * Thrown by a handler: not now, come back later (a `429 Retry-After`, a closed shop). The attempt is not counted. A
 * task that has been deferred for longer than `timing.deferralLimitMs` in total becomes a dead letter.
 *
 * @publicApi
 */
@ErrorName('RetryLaterError')
export class RetryLaterError extends TaskStreamsError {
  readonly code: string = 'TASK_STREAMS_RETRY_LATER';
  /** Milliseconds to wait before the task is offered again, counted by the clock of Redis. */
  readonly delayMs: number;

  constructor(options: { delayMs: number; message?: string; cause?: unknown }) {
    super(options.message ?? `The handler asked to be run again in ${options.delayMs} ms`, { cause: options.cause });
    if (!Number.isFinite(options.delayMs) || options.delayMs < 0) {
      throw new RangeError(
        `RetryLaterError: delayMs is ${options.delayMs}; give a number of milliseconds that is 0 or more`,
      );
    }
    this.delayMs = Math.ceil(options.delayMs);
  }
}

/**
 * What a task that the handler ended by `ctx.retry()` has failed with, where the handler gave no error.
 *
 * @publicApi
 */
@ErrorName('RetryRequestedError')
export class RetryRequestedError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_RETRY_REQUESTED';

  constructor() {
    super('The handler asked for another attempt');
  }
}

/**
 * Thrown by a handler: put this task with the dead letters now, with a reason of its own for the people who look at
 * them later.
 *
 * @publicApi
 */
@ErrorName('DeadLetterError')
export class DeadLetterError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_DEAD_LETTER';
  /** More about the case, kept in the dead letter as JSON. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;

  constructor(message: string, meta?: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(message, options);
    this.meta = meta;
  }
}

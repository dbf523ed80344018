import type { DeadLetterReason } from '../task/dead-letter.js';

/**
 * The attempt that failed.
 *
 * @publicApi
 */
export interface FailedAttempt {
  readonly queue: string;
  /** The name of the task. */
  readonly task: string;
  readonly taskId: string;
  readonly entryId: string;
  /** Which attempt failed, 1 for the first. */
  readonly attempt: number;
  /** How often the entry was handed to a worker. */
  readonly deliveryCount: number;
  /** True when no other attempt follows: the task is a dead letter. */
  readonly isLastAttempt: boolean;
  /** Why it is given up; `undefined` where another attempt follows. */
  readonly reason: DeadLetterReason | undefined;
  /** Milliseconds until the next attempt; `undefined` where none follows. */
  readonly nextDelayMs: number | undefined;
}

/**
 * Hears of every attempt that failed, with the error as it was thrown: for Sentry and its kind. Bind your own under the
 * token `TASK_ERROR_REPORTER`. It is called inside the context of the task. What it throws, or rejects with, is logged and
 * changes nothing; nobody waits for it.
 *
 * @publicApi
 */
export interface TaskErrorReporter {
  report(error: unknown, attempt: FailedAttempt): void | Promise<void>;
}

/** The {@link TaskErrorReporter}; nothing is bound to it unless you do. */
export const TASK_ERROR_REPORTER = Symbol.for('nestjs-task-streams:error-reporter');

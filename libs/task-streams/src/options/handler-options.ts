import type { ErrorMatcher } from '../policy/retry-policy.js';
import type { Backoff } from '../task/backoff.js';

/**
 * How failures are answered. What is left out comes from the module's `retry`.
 *
 * @publicApi
 */
export interface RetryOptions {
  /** Attempts in all, the first included; 1 switches retries off. Default 5. */
  readonly attempts?: number;
  /** How long to wait between attempts. Default exponential: 2, 4, 8, 16 s with equal jitter, at most one hour. */
  readonly backoff?: Backoff;
  /** Error classes, or their names, that are never worth another attempt. Default none. */
  readonly nonRetryable?: readonly ErrorMatcher[];
  /** Answers whether an error is worth another attempt. Default: every error is. */
  readonly retryIf?: (error: unknown) => boolean;
  /**
   * How often a failed attempt is run again at once, inside the worker, before the failure counts; 0 to 100. For errors
   * that pass in an instant, such as a deadlock. Each such run is in the history of the attempts, and all of them are one
   * attempt, with one `timeoutMs`. Timeouts and errors that are not worth another attempt are not run again. Default 0.
   */
  readonly immediateRetries?: number;
  /**
   * Answers false for an error that is an expected outcome and no failure (a shop that is closed, a card that is
   * declined). Its settled event carries `expected: true`, so that error rates can leave it out. Where the error is worth
   * another attempt, the task is run again after its backoff and no attempt is counted, for `timing.deferralLimitMs` in all;
   * where it is not (`nonRetryable`, `UnrecoverableError`), the task becomes a dead letter as ever. Default: every error
   * is a failure.
   */
  readonly isFailure?: (error: unknown) => boolean;
}

/**
 * How a task is kept from having its effect twice.
 *
 * @publicApi
 */
export interface IdempotencyOptions<P = unknown> {
  /**
   * The key: the same key runs once. A function of the payload, or nothing, in which case it is the key the sender gave
   * or else the task id. Two tasks of one name and queue with one key are one piece of work.
   */
  readonly key?: (payload: P) => string;
  /** How long the done mark of an explicit key is kept, in milliseconds. Default 24 hours. */
  readonly ttlMs?: number;
  /**
   * What becomes of a task whose key is done already; its handler does not run. `replay` completes it with the result
   * that was kept, `skip` completes it without one (`resultOmitted: 'duplicate'`), `throw` makes it a dead letter with
   * reason `duplicate`, for senders who must never send twice. Default `replay`.
   */
  readonly onDuplicate?: OnDuplicate;
  /**
   * What becomes of a task while another one with its key runs. `defer` offers it again when the other one has ended;
   * `drop` completes it at once without running it (`resultOmitted: 'duplicate-in-progress'`): when the other one then
   * fails for good, nobody does the work. Default `defer`.
   */
  readonly onInProgress?: OnInProgress;
}

/** @publicApi */
export type OnDuplicate = 'replay' | 'skip' | 'throw';

/** @publicApi */
export type OnInProgress = 'defer' | 'drop';

/**
 * What happens to a task that is given up.
 *
 * @publicApi
 */
export interface DeadLetterOptions {
  /** Keep the task in the dead-letter stream. Default true; with false only its record says that it is dead. */
  readonly keep?: boolean;
}

/**
 * What becomes of a task whose time is over: a dead letter with reason `expired`, or dropped, so that only its record says
 * `expired`.
 *
 * @publicApi
 */
export type OnExpired = 'dead-letter' | 'drop';

/**
 * Options of one handler. What is left out comes from the module.
 *
 * @publicApi
 */
export interface TaskHandlerOptions<P = unknown> {
  /** The queue it takes tasks from. Default: the queue of the contract, else `default`. */
  readonly queue?: string;
  /** Milliseconds an attempt may take; `false` for no limit. Default 5 minutes. */
  readonly timeoutMs?: number | false;
  /** How failures are answered; `false` gives a failed task up at its first error. */
  readonly retry?: RetryOptions | false;
  /** How it is kept from having its effect twice; `false` runs every task it is given. */
  readonly idempotency?: IdempotencyOptions<P> | false;
  /** What happens to a task that is given up; `false` keeps no dead letter. */
  readonly deadLetter?: DeadLetterOptions | false;
  /** What becomes of a task whose `ttlMs` or `deadline` is over. Default: what the queue says, else `dead-letter`. */
  readonly onExpired?: OnExpired;
  /** Validate a payload whose parameter type is a class with class-validator. Default true. */
  readonly validate?: boolean;
}

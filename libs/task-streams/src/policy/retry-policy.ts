import type { Backoff } from '../task/backoff.js';
import { refusePromise } from './refuse-promise.js';

/** An error class, or the name of one. */
export type ErrorMatcher = string | (abstract new (...args: never[]) => Error);

/** How failures of a task are answered. Resolved: message over handler over module. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  readonly backoff: Backoff;
  /** Errors that are never worth another attempt. */
  readonly nonRetryable: readonly ErrorMatcher[];
  /** Answers whether an error is worth another attempt; asked after `nonRetryable`. */
  readonly retryIf: ((error: unknown) => boolean) | undefined;
  /** Answers false for an error that is an expected outcome. */
  readonly isFailure: ((error: unknown) => boolean) | undefined;
}

/** Whether the policy allows another attempt after this error, the number of attempts aside. */
export function isWorthRetrying(policy: RetryPolicy, error: unknown): boolean {
  if (policy.nonRetryable.some((matcher) => matches(matcher, error))) return false;
  return refusePromise('retryIf', policy.retryIf?.(error)) ?? true;
}

/** Whether the policy calls this error an expected outcome. */
export function isExpectedError(policy: RetryPolicy, error: unknown): boolean {
  return refusePromise('isFailure', policy.isFailure?.(error)) === false;
}

function matches(matcher: ErrorMatcher, error: unknown): boolean {
  if (typeof matcher !== 'string') return error instanceof matcher;
  return error instanceof Error && (error.name === matcher || error.constructor.name === matcher);
}

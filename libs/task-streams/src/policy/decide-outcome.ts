import type { DeadLetterInfo, DeadLetterReason } from '../task/dead-letter.js';
import type { ErrorClass } from '../task/error-class.js';
import { describeError, MAX_ERROR_MESSAGE, type ErrorDescription } from '../task/error-description.js';
import { IdempotencyBusyError } from '../task/idempotency-errors.js';
import { withFailedAttempt, withUncountedFailure, type AttemptRecord, type TaskMeta } from '../task/task-meta.js';
import {
  assertNever,
  type DeadLetterOutcome,
  type DeferOutcome,
  type ExpireOutcome,
  type RetryOutcome,
} from '../task/task-outcome.js';
import { computeBackoff, type Random } from './compute-backoff.js';
import { isTooLate, type StartLimits } from './expiry.js';
import { fingerprintOf, traitsOf } from './failure-group.js';
import { isWorthRetrying, type RetryPolicy } from './retry-policy.js';

/** One failed execution and everything the decision about it depends on. */
export interface Failure {
  readonly taskName: string;
  readonly error: unknown;
  readonly errorClass: ErrorClass;
  readonly meta: TaskMeta;
  readonly deliveryCount: number;
  readonly policy: RetryPolicy;
  /** How long a task may be put off in all, in milliseconds. */
  readonly deferralLimitMs: number;
  /** Until when the task may be run; `undefined` for ever. */
  readonly expiry?: FailureExpiry | undefined;
  readonly worker: string;
  /** When the execution began and ended, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly random: Random;
}

/** Until when a task that failed may be run again. */
export interface FailureExpiry {
  readonly limits: StartLimits;
  /** By the clock of Redis, in milliseconds since 1970. */
  readonly now: number;
  /** Whether the task is dropped when its time is over. */
  readonly isDropped: boolean;
}

/** What a failed execution comes to. Pure: the same failure gives the same answer. */
export type FailureOutcome = RetryOutcome | DeferOutcome | DeadLetterOutcome | ExpireOutcome;

/** Decides what a failed execution comes to. */
export function decideOutcome(failure: Failure): FailureOutcome {
  return inTime(failure, isExpected(failure) ? decideExpected(failure) : decideFailure(failure));
}

/** A task that would come back too late has expired now: nobody is served by its waiting. */
function inTime(failure: Failure, outcome: FailureOutcome): FailureOutcome {
  const { expiry } = failure;
  if (expiry === undefined || (outcome.kind !== 'retry' && outcome.kind !== 'defer')) return outcome;
  const { meta, delayMs } = outcome;
  if (!isTooLate(expiry.limits, expiry.now + delayMs, meta.failedAttempts)) return outcome;
  const error = describeError(failure.error);
  if (expiry.isDropped) return { kind: 'expired', error, failedAttempts: meta.failedAttempts };
  return { kind: 'dead-letter', keep: true, info: deadLetterInfo(failure, meta, 'expired', error) };
}

/** Whether a failure is one to run again at once, the number of times aside. */
export function mayPassAtOnce({ error, errorClass, policy }: Failure): boolean {
  return errorClass.kind === 'retryable' && isWorthRetrying(policy, error) && policy.isFailure?.(error) !== false;
}

/** What is remembered of a failure that is run again at once: it is in the history, and the attempt goes on. */
export function withImmediateRetry(failure: Failure): TaskMeta {
  return withUncountedFailure(failure.meta, attemptRecord(failure, describeError(failure.error)));
}

function decideFailure(failure: Failure): FailureOutcome {
  const { errorClass } = failure;
  switch (errorClass.kind) {
    case 'defer':
      return defer(failure, errorClass.delayMs);
    case 'final':
      return giveUp(failure, errorClass.reason, errorClass.details);
    case 'timeout':
      return retryOrGiveUp(failure, 'timeout');
    case 'retryable':
      return isWorthRetrying(failure.policy, failure.error)
        ? retryOrGiveUp(failure, 'attempts-exhausted')
        : giveUp(failure, 'non-retryable');
    default:
      return assertNever(errorClass);
  }
}

/** A task that asks to come back later says so itself: there is nothing to call a failure. */
function isExpected({ error, errorClass, policy }: Failure): boolean {
  return errorClass.kind !== 'defer' && policy.isFailure?.(error) === false;
}

/** Run again without counting an attempt, unless the handler is one to run once; given up where that is final. */
function decideExpected(failure: Failure): FailureOutcome {
  const { policy, meta, error, random } = failure;
  const outcome = decideFailure(failure);
  const isRunOnce = policy.attempts === 1;
  const mayRunAgain = outcome.kind === 'retry' || isExhausted(outcome);
  if (isRunOnce || !mayRunAgain) return outcome.kind === 'dead-letter' ? { ...outcome, expected: true } : outcome;
  const delayMs = computeBackoff(policy.backoff, meta.failedAttempts + 1, error, random);
  return { ...defer(failure, delayMs), expected: true };
}

/** Given up for the number of its attempts alone. */
function isExhausted(outcome: FailureOutcome): boolean {
  return (
    outcome.kind === 'dead-letter' &&
    (outcome.info.reason === 'attempts-exhausted' || outcome.info.reason === 'timeout')
  );
}

function retryOrGiveUp(failure: Failure, reasonWhenExhausted: DeadLetterReason): FailureOutcome {
  const { policy, meta, error, random } = failure;
  const failedAttempts = meta.failedAttempts + 1;
  if (failedAttempts >= policy.attempts) return giveUp(failure, reasonWhenExhausted);
  const description = describeError(error);
  return {
    kind: 'retry',
    delayMs: computeBackoff(policy.backoff, failedAttempts, error, random),
    meta: countAttempt(failure, description),
    error: description,
  };
}

function defer(failure: Failure, delayMs: number): DeferOutcome | DeadLetterOutcome {
  const since = failure.meta.deferredSince ?? failure.endedAt;
  const leftMs = failure.deferralLimitMs - (failure.endedAt - since);
  if (leftMs <= 0) return giveUp(failure, 'in-progress-timeout');
  return {
    kind: 'defer',
    // The last offer comes at the limit, not long after it.
    delayMs: Math.min(delayMs, leftMs),
    meta: { ...failure.meta, deferredSince: since },
    why: describeError(failure.error).message,
    ...(failure.error instanceof IdempotencyBusyError ? { isBusy: true } : {}),
  };
}

/** The dead letter that a failure comes to, whatever its class. */
export function giveUp(failure: Failure, reason: DeadLetterReason, details?: unknown): DeadLetterOutcome {
  const error = describeFailure(failure.error, details);
  // A task that was put off for too long has not failed.
  const meta = reason === 'in-progress-timeout' ? failure.meta : countAttempt(failure, error);
  return { kind: 'dead-letter', keep: true, info: deadLetterInfo(failure, meta, reason, error) };
}

/** With the field errors of a validation in the message, which is what people read first. */
function describeFailure(error: unknown, details: unknown): ErrorDescription {
  const described = describeError(error);
  if (details === undefined) return described;
  const isList = Array.isArray(details) && details.length > 0 && details.every((one) => typeof one === 'string');
  const message = isList
    ? `${described.message}: ${details.join('; ')}`.slice(0, MAX_ERROR_MESSAGE)
    : described.message;
  return { ...described, message, details };
}

function deadLetterInfo(
  failure: Failure,
  meta: TaskMeta,
  reason: DeadLetterReason,
  error: ErrorDescription,
): DeadLetterInfo {
  return {
    reason,
    error,
    failedAttempts: meta.failedAttempts,
    deliveryCount: failure.deliveryCount,
    firstFailedAt: meta.firstFailedAt,
    at: failure.endedAt,
    worker: failure.worker,
    history: meta.history,
    redriveCount: meta.redriveCount,
    redrives: meta.redrives ?? [],
    fingerprint: fingerprintOf(traitsOf(failure.taskName, error)),
  };
}

function countAttempt(failure: Failure, error: ErrorDescription): TaskMeta {
  return withFailedAttempt(failure.meta, attemptRecord(failure, error));
}

function attemptRecord(failure: Failure, error: ErrorDescription): AttemptRecord {
  return {
    attempt: failure.meta.failedAttempts + 1,
    at: failure.endedAt,
    durationMs: Math.max(0, Math.round(failure.endedAt - failure.startedAt)),
    worker: failure.worker,
    error,
  };
}

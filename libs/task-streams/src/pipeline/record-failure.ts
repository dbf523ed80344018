import { Logger } from '@nestjs/common';
import { DEFAULT_BACKOFF } from '../policy/compute-backoff.js';
import {
  decideOutcome,
  giveUp,
  mayPassAtOnce,
  withImmediateRetry,
  type Failure,
  type FailureExpiry,
  type FailureOutcome,
} from '../policy/decide-outcome.js';
import { redact } from '../policy/redact.js';
import { FollowUpRefusedError } from '../task/pipeline-errors.js';
import { TaskCancelledError } from '../task/task-cancelled.error.js';
import type { ErrorClass } from '../task/error-class.js';
import type { DeadLetterOutcome } from '../task/task-outcome.js';
import type { TaskMeta } from '../task/task-meta.js';
import { LeaseLostError, LeaseUncertainError, TaskTimeoutError, WorkerStoppingError } from '../task/worker-errors.js';
import { checkErrorClass } from './check-error-class.js';
import { isLargerThan, toJson } from './encode-result.js';
import type { RecordedFailure, TaskRun } from './task-run.js';

/** The most bytes of field errors, or of what a handler adds to a dead letter. */
const MAX_DETAILS_BYTES = 16_384;

const logger = new Logger('TaskPolicy');

/**
 * Decides what an error of a run comes to and writes it down there. Two places call it: `runBody`, where the error comes
 * out of the pieces, and `conclude.ts`, for what came out of Nest, the filter, and a timeout. For the same error all get the
 * same answer. Never throws.
 *
 * Another error than the one before decides anew, because an interceptor further out may translate errors. Nothing is
 * counted twice: the attempts are counted from what the run began with.
 */
export function recordFailure(run: TaskRun, error: unknown): RecordedFailure {
  if (run.failure !== undefined && (run.isFailedByHand || run.failure.error === error)) return run.failure;
  const failure: RecordedFailure = { error, outcome: outcomeOf(run, error), isOffered: false };
  run.fail(failure);
  return failure;
}

/**
 * Ends a run by hand as a failure of the class would end it. Says nothing to the user's classifier and predicates: the
 * handler has decided. The first call counts. Never throws.
 */
export function settleByHand(run: TaskRun, error: Error, errorClass: ErrorClass, delayMs?: number): void {
  if (run.isSettledByHand) return;
  const policy = {
    ...run.input.policy.retry,
    nonRetryable: [],
    retryIf: undefined,
    isFailure: undefined,
    ...(delayMs === undefined ? {} : { backoff: [delayMs] }),
  };
  const failure = { ...failureOf(run, error, withPlainDetails(errorClass, run.services.options.redact)), policy };
  run.failByHand({ error, outcome: decideSafely(failure, run.input.envelope.name), isOffered: false });
}

/** Takes a completion back whose follow-ups were refused: whatever the handler had said, it is a dead letter now. */
export function recordRefusedFollowUps(
  run: TaskRun,
  why: string,
): { readonly failure: RecordedFailure; readonly outcome: DeadLetterOutcome } {
  const error = new FollowUpRefusedError(run.input.envelope.name, why);
  const outcome = giveUp(failureOf(run, error, { kind: 'retryable' }), 'follow-up-refused');
  const failure: RecordedFailure = { error, outcome, isOffered: false };
  run.fail(failure);
  return { failure, outcome };
}

/**
 * What an attempt that is run again at once goes on with; `undefined` where the failure is not one for that. Counts no
 * attempt and decides nothing. Never throws.
 */
export function recordImmediateRetry(run: TaskRun, error: unknown): TaskMeta | undefined {
  const failure = failureOf(run, error);
  try {
    return mayPassAtOnce(failure) ? withImmediateRetry(failure) : undefined;
  } catch {
    // A function of the user's threw: the decision about the attempt says so.
    return undefined;
  }
}

function outcomeOf(run: TaskRun, error: unknown): RecordedFailure['outcome'] {
  const { abortReason } = run;
  // A handler that stops because it was told to has not failed.
  if (abortReason instanceof TaskCancelledError) return { kind: 'cancel', request: abortReason.request };
  if (abortReason instanceof WorkerStoppingError) return { kind: 'release' };
  if (abortReason instanceof LeaseUncertainError) {
    // One that blocks its process must come to its crash limit; an outage of Redis is no fault of the task.
    return abortReason.why === 'event-loop' ? { kind: 'release', burnsHandOut: true } : { kind: 'release' };
  }
  if (abortReason instanceof LeaseLostError || error instanceof LeaseLostError) return { kind: 'lost' };
  return decideSafely(
    failureOf(run, abortReason instanceof TaskTimeoutError ? abortReason : error),
    run.input.envelope.name,
  );
}

function failureOf(run: TaskRun, error: unknown, errorClass = classifySafely(run, error)): Failure {
  const { options, random, workerName, now } = run.services;
  return {
    taskName: run.input.envelope.name,
    error,
    errorClass,
    meta: run.meta,
    deliveryCount: run.input.delivery.deliveryCount,
    policy: run.input.policy.retry,
    expiry: expiryOf(run),
    deferralLimitMs: options.timing.deferralLimitMs,
    worker: workerName,
    startedAt: run.attemptStartedAt,
    endedAt: now(),
    random,
  };
}

/** Redis' clock decides: the time it told when it handed the task out, and what has gone by here since. */
function expiryOf(run: TaskRun): FailureExpiry | undefined {
  const { startLimits, delivery, policy } = run.input;
  if (startLimits === undefined) return undefined;
  const now = delivery.claimedAt + run.services.now() - run.startedAt;
  return { limits: startLimits, now, isDropped: policy.onExpired === 'drop' };
}

/** A classifier of the user's that throws, or answers nonsense, must not keep a task from being settled. */
function classifySafely(run: TaskRun, error: unknown): ErrorClass {
  const taskName = run.input.envelope.name;
  try {
    const answer: unknown = run.services.classifier.classify(error, { taskName, handlerReached: run.handlerReached });
    return withPlainDetails(checkErrorClass(answer), run.services.options.redact);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    logger.error(
      `Task "${taskName}": the error classifier failed (${why}); the error counts as a failed attempt`,
      cause,
    );
    return { kind: 'retryable' };
  }
}

/** What a handler adds may be anything; what is kept is JSON of a bounded size, without secrets. */
function withPlainDetails(errorClass: ErrorClass, secretNames: readonly string[]): ErrorClass {
  if (errorClass.kind !== 'final' || errorClass.details === undefined) return errorClass;
  const json = toJson(errorClass.details);
  if (json === undefined) return { ...errorClass, details: 'left out: it has no JSON' };
  if (isLargerThan(json, MAX_DETAILS_BYTES)) return { ...errorClass, details: 'left out: it is too large' };
  return { ...errorClass, details: redact(JSON.parse(json), secretNames) };
}

/** A function of the user's that throws must not keep a task from being settled either. */
function decideSafely(failure: Failure, taskName: string): FailureOutcome {
  try {
    return decideOutcome(failure);
  } catch (cause) {
    logger.error(
      `Task "${taskName}": retryIf, isFailure or the backoff function threw; the default backoff is used`,
      cause,
    );
    const policy = { ...failure.policy, backoff: DEFAULT_BACKOFF, retryIf: undefined, isFailure: undefined };
    return decideOutcome({ ...failure, policy });
  }
}

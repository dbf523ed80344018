import { EmptyError } from 'rxjs';
import { TaskNotCompletedError } from '../task/pipeline-errors.js';
import { assertNever, type StoredResult, type TaskOutcome } from '../task/task-outcome.js';
import { TaskTimeoutError } from '../task/worker-errors.js';
import { encodeResult } from './encode-result.js';
import { recordFailure } from './record-failure.js';
import type { Proof, RecordedFailure, TaskRun } from './task-run.js';

/** What came out of the whole pipeline, filters included. */
export type PipelineEnd =
  { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'error'; readonly error: unknown };

/**
 * What a run came to: complete on positive proof, else the failure that was recorded, else a failure decided now. What an
 * exception filter returned does not count.
 */
export function conclude(run: TaskRun, end: PipelineEnd): TaskOutcome | RecordedFailure {
  if (end.kind === 'error' && !isEmptyAnswer(run, end.error)) return concludeError(run, end.error);
  if (run.proof !== undefined) return complete(run, run.proof, end.kind === 'value' ? end.value : undefined);
  return run.failure ?? recordFailure(run, new TaskNotCompletedError(run.input.envelope.name));
}

/** What our filter makes of an error; `undefined` where there is nothing to decide. A guard's denial meets no interceptor. */
export function concludeInFilter(run: TaskRun, error: unknown): RecordedFailure | undefined {
  return isEmptyAnswer(run, error) ? undefined : recordFailure(run, error);
}

/** What a run came to whose time is over. */
export function concludeTimeout(run: TaskRun): RecordedFailure {
  const { failure } = run;
  // Its dead letter is with the sink: the attempt has ended, and only the sink is late.
  if (failure?.isOffered) return failure;
  const { envelope, policy } = run.input;
  return recordFailure(run, new TaskTimeoutError(envelope.name, policy.timeoutMs ?? 0));
}

/**
 * Nest throws an EmptyError when the observable of a provider's pipeline completes without a value. After the handler has
 * returned that is no failure: there is nothing to answer.
 */
function isEmptyAnswer(run: TaskRun, error: unknown): boolean {
  return run.proof !== undefined && error instanceof EmptyError;
}

/**
 * An error that no filter of ours has seen. It may be less than what is known: Nest replaces an unhandled error on a
 * controller by "Internal server error", and a filter that was written for HTTP throws a TypeError of its own.
 */
function concludeError(run: TaskRun, error: unknown): RecordedFailure {
  const { failure } = run;
  if (failure !== undefined && (!(error instanceof Error) || failure.outcome.kind === 'dead-letter')) return failure;
  return recordFailure(run, error);
}

function complete(run: TaskRun, proof: Proof, value: unknown): TaskOutcome {
  const isDuplicate = proof.kind === 'replayed' || proof.kind === 'skipped';
  return {
    kind: 'complete',
    result: resultOf(run, proof, value),
    key: isDuplicate ? undefined : run.keyCommit,
    followUps: run.followUpItems,
    replayed: isDuplicate,
  };
}

function resultOf(run: TaskRun, proof: Proof, value: unknown): StoredResult {
  const { retention } = run.services.options;
  switch (proof.kind) {
    case 'returned':
      return encodeResult(value, retention);
    case 'declared':
      return encodeResult(proof.value, retention);
    case 'replayed':
      return proof.resultJson === undefined
        ? { kind: 'omitted', reason: 'off' }
        : { kind: 'stored', json: proof.resultJson };
    case 'skipped':
      return { kind: 'omitted', reason: proof.reason };
    default:
      return assertNever(proof);
  }
}

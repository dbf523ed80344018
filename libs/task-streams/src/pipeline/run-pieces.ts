import type { IdempotencyStore } from '../contracts/idempotency-store.interface.js';
import { recordFailure } from './record-failure.js';
import { runOnce } from './run-once.js';
import { runWithRetries } from './run-with-retries.js';
import type { TaskRun } from './task-run.js';

/** What a piece does around the part of the pipeline that is further in. */
type Next = () => Promise<unknown>;

/**
 * The pieces a handler asks for around the innermost part of the pipeline, as plain functions: what the interceptors do,
 * in the same order, without observables.
 */
export function runPieces(run: TaskRun, store: IdempotencyStore, next: Next): Promise<unknown> {
  const { idempotency, retry } = run.input.policy.pieces;
  run.handlerReached = true;
  if (!idempotency) return retry ? runWithRetries(run, next) : runToCompletion(run, next);
  return runOnce(run, store, retry ? () => runWithRetries(run, next) : next);
}

/** Sees the handler return, for handlers that have idempotency and retries switched off. */
export async function runToCompletion(run: TaskRun, next: Next): Promise<unknown> {
  try {
    const value = await next();
    run.prove({ kind: 'returned' });
    return value;
  } catch (error) {
    // On a controller Nest would replace it by "Internal server error" on its way out.
    recordFailure(run, error);
    throw error;
  }
}

import type { IdempotencyStore } from '../contracts/idempotency-store.interface.js';
import { runOnce } from './run-once.js';
import { runBody, type Next } from './run-piece.js';
import { runToCompletion, runWithRetries } from './run-with-retries.js';
import type { TaskRun } from './task-run.js';

/**
 * The pieces a handler asks for around the innermost part of the pipeline, as plain functions: what the interceptors do,
 * in the same order, without observables.
 */
export function runPieces(run: TaskRun, store: IdempotencyStore, next: Next): Promise<unknown> {
  const { idempotency, retry } = run.input.policy.pieces;
  run.handlerReached = true;
  const attempt: Next = () => runBody(run, retry ? runWithRetries : runToCompletion, next);
  return idempotency ? runBody(run, (_run, inner) => runOnce(run, store, inner), attempt) : attempt();
}

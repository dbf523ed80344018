import { setImmediate as nextTurn } from 'node:timers/promises';
import { recordImmediateRetry } from './record-failure.js';
import type { Next } from './run-piece.js';
import type { TaskRun } from './task-run.js';

/**
 * Runs what is further in until it returns, and proves the task then. A failed attempt is run again at once as often as
 * the handler's `retry.immediateRetries` says. After that its failure goes out, for the worker to defer the task in Redis.
 */
export function runWithRetries(run: TaskRun, next: Next): Promise<unknown> {
  return runUntilReturned(run, next, run.input.policy.retry.immediateRetries);
}

/** Sees the handler return, for handlers that have retries switched off. */
export function runToCompletion(run: TaskRun, next: Next): Promise<unknown> {
  return runUntilReturned(run, next, 0);
}

async function runUntilReturned(run: TaskRun, next: Next, immediateRetries: number): Promise<unknown> {
  for (let retriesLeft = immediateRetries; ; retriesLeft -= 1) {
    try {
      const value = await next();
      run.prove({ kind: 'returned' });
      return value;
    } catch (error) {
      if (retriesLeft > 0 && !run.isFailedByHand && (await retriesAtOnce(run, error))) continue;
      throw error;
    }
  }
}

/** Whether the attempt goes on with another run. */
async function retriesAtOnce(run: TaskRun, error: unknown): Promise<boolean> {
  const meta = recordImmediateRetry(run, error);
  if (meta === undefined) return false;
  // Leases are renewed, and timeouts noticed, between two runs of a handler that never waits.
  await nextTurn();
  if (run.isClosed || run.abortReason !== undefined) return false;
  run.beginAttempt(meta);
  return true;
}

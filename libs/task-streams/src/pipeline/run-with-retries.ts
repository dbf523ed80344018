import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { recordFailure, recordImmediateRetry } from './record-failure.js';
import { reportFailure } from './report-failure.js';
import type { TaskRun } from './task-run.js';

/**
 * Runs what is further in until it returns, and proves the task then. A failed attempt is run again at once as often as
 * the handler's `retry.immediateRetries` says. A failure whose wait is short enough for its `retry.inProcessMs` is waited
 * for here, in the slot of the task; any other goes out, for the worker to put the task off in Redis.
 */
export async function runWithRetries(run: TaskRun, next: () => Promise<unknown>): Promise<unknown> {
  const { immediateRetries } = run.input.policy.retry;
  for (let retriesLeft = immediateRetries; ;) {
    try {
      const value = await next();
      run.prove({ kind: 'returned' });
      return value;
    } catch (error) {
      if (run.isFailedByHand) throw error;
      if (retriesLeft > 0 && (await retriesAtOnce(run, error))) {
        retriesLeft -= 1;
        continue;
      }
      if (!(await waitsForNextAttempt(run, error))) throw error;
      retriesLeft = immediateRetries;
    }
  }
}

/** Whether the attempt goes on with another run. */
async function retriesAtOnce(run: TaskRun, error: unknown): Promise<boolean> {
  const meta = recordImmediateRetry(run, error);
  if (meta === undefined) return false;
  // Leases are renewed, and timeouts noticed, between two runs of a handler that never waits.
  await nextTurn();
  if (isOver(run)) return false;
  run.beginAttempt(meta);
  return true;
}

/** Whether the attempt was counted and the wait for the next one is over. */
async function waitsForNextAttempt(run: TaskRun, error: unknown): Promise<boolean> {
  const failure = recordFailure(run, error);
  const { outcome } = failure;
  const { inProcessMs } = run.input.policy.retry;
  if (outcome.kind !== 'retry' || inProcessMs === 0 || outcome.delayMs > inProcessMs) return false;
  if (!(await waits(outcome.delayMs, run.signal)) || run.isClosed) return false;
  reportFailure(run, failure);
  run.beginAttempt(outcome.meta);
  return true;
}

/** Whether nothing may be started any more. */
function isOver(run: TaskRun): boolean {
  return run.isClosed || run.abortReason !== undefined;
}

async function waits(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(delayMs, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

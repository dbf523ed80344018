import { setTimeout as sleep } from 'node:timers/promises';
import { recordFailure } from './record-failure.js';
import type { TaskRun } from './task-run.js';

/**
 * Runs what is further in until it returns, and proves the task then. A failure whose wait is short enough for the
 * handler's `retry.inProcessMs` is waited for here, in the slot of the task; any other goes out, for the worker to put
 * the task off in Redis.
 */
export async function runWithRetries(run: TaskRun, next: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      const value = await next();
      run.prove({ kind: 'returned' });
      return value;
    } catch (error) {
      if (!(await waitsForNextAttempt(run, error))) throw error;
    }
  }
}

/** Whether the attempt was counted and the wait for the next one is over. */
async function waitsForNextAttempt(run: TaskRun, error: unknown): Promise<boolean> {
  const { outcome } = recordFailure(run, error);
  const { inProcessMs } = run.input.policy.retry;
  if (outcome.kind !== 'retry' || inProcessMs === 0 || outcome.delayMs > inProcessMs) return false;
  if (!(await waits(outcome.delayMs, run.signal)) || run.isClosed) return false;
  run.beginAttempt(outcome.meta);
  return true;
}

async function waits(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(delayMs, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

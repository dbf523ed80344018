import type { TaskStore } from '../contracts/task-store.interface.js';
import { ResultOmittedError, ResultTimeoutError, TaskFailedError, TaskNotFoundError } from '../task/result-errors.js';
import { TaskCancelledError } from '../task/task-cancelled.error.js';
import type { TaskRecord } from '../task/task-record.js';
import type { TaskAddress } from '../task/task-ref.js';
import { isFinalState } from '../task/task-state.js';
import { pause } from '../time/pause.js';

/** Milliseconds between two looks: short for a task that ends at once, longer for one that takes its time. */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 500;
const POLL_GROWTH = 1.5;

/**
 * Waits until the task has ended and answers its result.
 *
 * @throws TaskNotFoundError, TaskCancelledError, TaskFailedError, ResultOmittedError, ResultTimeoutError.
 * @internal
 */
export async function waitForResult(records: TaskStore, task: TaskAddress, timeoutMs: number): Promise<unknown> {
  const deadline = performance.now() + timeoutMs;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(LAST_POLL_MS, pollMs * POLL_GROWTH)) {
    const record = await records.get(task.queue, task.id);
    if (record === undefined) throw new TaskNotFoundError(task.id, task.queue);
    if (isFinalState(record.state)) return requireResult(task, record);
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new ResultTimeoutError(task.id, task.queue, record.state, timeoutMs);
    // The last look is at the deadline, so that a task that ends just before it is seen.
    await pause(Math.min(pollMs, leftMs));
  }
}

function requireResult(task: TaskAddress, record: TaskRecord): unknown {
  if (record.state === 'cancelled') {
    throw new TaskCancelledError(task.id, task.queue, record.cancel ?? { at: 0, reason: undefined, by: undefined });
  }
  if (record.state !== 'completed') throw new TaskFailedError(task.id, task.queue, record.state, record.error);
  if (record.resultOmitted !== undefined) throw new ResultOmittedError(task.id, task.queue, record.resultOmitted);
  return record.result;
}

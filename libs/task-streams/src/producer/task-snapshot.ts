import type { CancelRequest } from '../task/cancel-request.js';
import type { ErrorDescription } from '../task/error-description.js';
import type { TaskRecord } from '../task/task-record.js';
import { encodeTaskRef, type TaskAddress, type TaskRef } from '../task/task-ref.js';
import type { TaskState } from '../task/task-state.js';

/**
 * What is known of a task at this moment.
 *
 * @publicApi
 */
export interface TaskSnapshot {
  readonly ref: TaskRef;
  readonly id: string;
  readonly queue: string;
  /** The name of the task. */
  readonly name: string;
  readonly state: TaskState;
  /** Attempts that ended in an error. */
  readonly failedAttempts: number;
  /** How often the task was handed to a worker. */
  readonly deliveryCount: number;
  /** The times are by the clock of Redis; `undefined` for what has not happened. */
  readonly enqueuedAt: Date | undefined;
  /** When the last attempt began. */
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  /** When a delayed or retrying task is run next. */
  readonly runAt: Date | undefined;
  /** What the handler last reported with `ctx.progress()`. */
  readonly progress: unknown;
  /** What the handler returned, as it came through JSON. */
  readonly result: unknown;
  /**
   * Why a completed task has no result: `too-large`, `not-serializable`, `off`; `duplicate` or `duplicate-in-progress`
   * where it was not run because of another task with its idempotency key.
   */
  readonly resultOmitted: string | undefined;
  /** The error of the last failed attempt. */
  readonly error: ErrorDescription | undefined;
  /** Who cancelled it, when and why; also while it still runs. */
  readonly cancel: CancelRequest | undefined;
}

/**
 * The public view of a record.
 *
 * @internal
 */
export function toSnapshot(address: TaskAddress, record: TaskRecord): TaskSnapshot {
  return {
    ref: encodeTaskRef(address),
    id: address.id,
    queue: address.queue,
    name: record.name,
    state: record.state,
    failedAttempts: record.failedAttempts,
    deliveryCount: record.deliveryCount,
    enqueuedAt: toDate(record.enqueuedAt),
    startedAt: toDate(record.startedAt),
    finishedAt: toDate(record.finishedAt),
    runAt: toDate(record.dueAt),
    progress: record.progress,
    result: record.result,
    resultOmitted: record.resultOmitted,
    error: record.error,
    cancel: record.cancel,
  };
}

function toDate(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}

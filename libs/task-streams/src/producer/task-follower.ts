import type { TaskRecords } from '../contracts/broker.interface.js';
import type { CancelReply, RescheduleReply, TaskControl } from '../contracts/task-control.interface.js';
import { requireAction, type ActionOptions } from '../options/check-action.js';
import { MAX_TIMER_MS, milliseconds } from '../options/check-option.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { UsageError } from '../task/config-errors.js';
import { resolveTaskAddress, type TaskAddress, type TaskRef } from '../task/task-ref.js';
import { dueTime } from './check-due-time.js';
import type { EnqueueOptions } from './enqueue-options.js';
import { toSnapshot, type TaskSnapshot } from './task-snapshot.js';
import { waitForResult } from './wait-for-result.js';

/** What looking after tasks needs. */
export interface TaskFollowerDeps {
  readonly broker: TaskRecords & TaskControl;
  readonly options: Pick<ResolvedOptions, 'retention'>;
}

/** @publicApi */
export interface RescheduleOptions extends ActionOptions, Pick<EnqueueOptions, 'delayMs' | 'runAt'> {}

const DEFAULT_RESULT_TIMEOUT_MS = 30_000;
const checkResultTimeout = milliseconds(0, MAX_TIMER_MS);

/**
 * Looks after tasks that were enqueued: the half of `TaskClient` that sends nothing.
 *
 * @publicApi
 */
export class TaskFollower {
  /** @internal */
  constructor(private readonly follow: TaskFollowerDeps) {}

  /**
   * What is known of a task now; `undefined` where it was never enqueued or is no longer remembered.
   *
   * @param task The `ref` of its receipt, or its queue and id.
   * @throws InvalidNameError for what is neither.
   */
  async get(task: TaskRef | TaskAddress): Promise<TaskSnapshot | undefined> {
    const address = resolveTaskAddress(task);
    const record = await this.follow.broker.get(address.queue, address.id);
    return record && toSnapshot(address, record);
  }

  /**
   * Waits until a task has ended and answers what its handler returned, as it came through JSON. Looks every 20 ms at
   * first and every 500 ms in the end: meant for waiting seconds, not for every request.
   *
   * @param task The `ref` of its receipt, or its queue and id.
   * @param options `timeoutMs`: how long to wait, 0 to look once. Default 30 000.
   * @throws TaskCancelledError when it was cancelled, TaskFailedError when it ended without a result otherwise,
   *   ResultTimeoutError when it did not end in time, ResultOmittedError when it is completed but its result was not kept,
   *   TaskNotFoundError when nothing is known of it.
   */
  async result<R = unknown>(task: TaskRef | TaskAddress, options: { readonly timeoutMs?: number } = {}): Promise<R> {
    const { timeoutMs = DEFAULT_RESULT_TIMEOUT_MS } = options;
    const address = resolveTaskAddress(task);
    return (await waitForResult(this.follow.broker, address, checkResultTimeout('result.timeoutMs', timeoutMs))) as R;
  }

  /**
   * Cancels a task, whatever it is at. One that waits, now or for a time, is taken out of its queue. One that runs, in any
   * process, is told: `ctx.signal` aborts with a `TaskCancelledError` within half a second or so (`promoteMs`, at the latest
   * with the renewal of its lease); when its handler throws then, it is cancelled, and when it returns, it is completed.
   * Safe to repeat: the first request stands.
   *
   * @param task The `ref` of its receipt, or its queue and id.
   * @param options Why, and who asks; the record of the task keeps both.
   */
  async cancel(task: TaskRef | TaskAddress, options: ActionOptions = {}): Promise<CancelReply> {
    const { queue, id } = resolveTaskAddress(task);
    const { actor: by, reason } = requireAction('cancel', options);
    const recordMs = this.follow.options.retention.completedMs;
    return this.follow.broker.cancel(queue, id, { reason, by, recordMs });
  }

  /**
   * Gives a task that waits for a time, delayed or between two attempts, another time. A time that is over lets it run now.
   *
   * @param task The `ref` of its receipt, or its queue and id.
   * @param options `delayMs` from now by the clock of Redis, or `runAt`; and why, and who asks.
   * @throws InvalidOptionError for a time that is none.
   */
  async reschedule(task: TaskRef | TaskAddress, options: RescheduleOptions): Promise<RescheduleReply> {
    const { queue, id } = resolveTaskAddress(task);
    requireAction('reschedule', options);
    if (options.delayMs === undefined && options.runAt === undefined) {
      throw new UsageError('reschedule was given no time; give delayMs or runAt, or call promote to run the task now.');
    }
    return this.follow.broker.reschedule(queue, id, dueTime(options, 'reschedule'));
  }

  /**
   * Lets a task that waits for a time, delayed or between two attempts, run now.
   *
   * @param task The `ref` of its receipt, or its queue and id.
   */
  async promote(task: TaskRef | TaskAddress, options: ActionOptions = {}): Promise<RescheduleReply> {
    const { queue, id } = resolveTaskAddress(task);
    requireAction('promote', options);
    return this.follow.broker.reschedule(queue, id, { delayMs: 0, runAt: 0 });
  }
}

import type { Observable } from 'rxjs';
import type {
  CancelReply,
  RescheduleReply,
  TaskChange,
  TaskLogLine,
  TaskStore,
} from '../contracts/task-store.interface.js';
import type { ActionLog, ManualAction } from '../operate/action-log.interface.js';
import { recordAction } from '../operate/record-action.js';
import { completedRecordMs, type RecordOptions } from '../options/completed-record-ms.js';
import { requireAction, type ActionOptions } from '../operate/check-action.js';
import { milliseconds } from '../options/check-option.js';
import { MAX_TIMER_MS } from '../task/limits.js';
import { UsageError } from '../task/config-errors.js';
import { requireEntryId, requireQueueName, requireTaskId } from '../task/names.js';
import { resolveTaskAddress, type TaskAddress, type TaskRef, type TaskRefOf } from '../task/task-ref.js';
import { dueTime } from './check-due-time.js';
import { requireList, type ListTasksOptions } from './check-list-options.js';
import type { EnqueueOptions } from './enqueue-options.js';
import { toSnapshot, type TaskSnapshot } from './task-snapshot.js';
import { ChangeFeed } from './watch-changes.js';
import { waitForResult } from './wait-for-result.js';

/** What looking after tasks needs. */
export interface TaskFollowerDeps {
  readonly broker: { readonly tasks: TaskStore };
  readonly options: RecordOptions;
  /** Told what is done by hand; `undefined` to keep it nowhere. */
  readonly actions?: ActionLog | undefined;
}

/** @publicApi */
export interface RescheduleOptions extends ActionOptions, Pick<EnqueueOptions, 'delayMs' | 'runAt'> {}

/** @publicApi */
export interface TaskPage {
  readonly tasks: readonly TaskSnapshot[];
  /** Give it to the next call to go on; `undefined` at the end. */
  readonly cursor: string | undefined;
}

/** @publicApi */
export interface FollowOptions {
  readonly queue: string;
  readonly taskId?: string | undefined;
  readonly after?: string | undefined;
}

interface ResultOptions {
  /** How long to wait, 0 to look once. Default 30 000. */
  readonly timeoutMs?: number;
}

const DEFAULT_RESULT_TIMEOUT_MS = 30_000;
const checkResultTimeout = milliseconds(0, MAX_TIMER_MS);

/**
 * Looks after tasks that were enqueued: the half of `TaskClient` that sends nothing.
 *
 * @publicApi
 */
export class TaskFollower {
  private readonly feed: ChangeFeed;

  /** @internal */
  constructor(private readonly follow: TaskFollowerDeps) {
    this.feed = new ChangeFeed(follow.broker.tasks);
  }

  /**
   * What is known of a task now; `undefined` where it was never enqueued or is no longer remembered.
   *
   * @param task The `ref` of its receipt, or its queue and id.
   * @throws InvalidNameError for what is neither.
   */
  async get(task: TaskRef | TaskAddress): Promise<TaskSnapshot | undefined> {
    const address = resolveTaskAddress(task);
    const record = await this.follow.broker.tasks.get(address.queue, address.id);
    return record && toSnapshot(address, record);
  }

  /**
   * Waits until a task has ended and answers what its handler returned, as it came through JSON; of the type of the contract
   * where the receipt is of one. Looks every 20 ms at
   * first and every 500 ms in the end: meant for waiting seconds, not for every request.
   *
   * @param task The `ref` of its receipt, or its queue and id.
   * @param options `timeoutMs`: how long to wait, 0 to look once. Default 30 000.
   * @throws TaskCancelledError when it was cancelled, TaskFailedError when it ended without a result otherwise,
   *   ResultTimeoutError when it did not end in time, ResultOmittedError when it is completed but its result was not kept,
   *   TaskNotFoundError when nothing is known of it.
   */
  result<R>(task: TaskRefOf<R>, options?: ResultOptions): Promise<R>;
  result<R = unknown>(task: TaskRef | TaskAddress, options?: ResultOptions): Promise<R>;
  async result(task: TaskRef | TaskAddress, options: ResultOptions = {}): Promise<unknown> {
    const { timeoutMs = DEFAULT_RESULT_TIMEOUT_MS } = options;
    const address = resolveTaskAddress(task);
    return waitForResult(this.follow.broker.tasks, address, checkResultTimeout('result.timeoutMs', timeoutMs));
  }

  /**
   * Cancels a task, whatever it is at. One that waits, now or for a time, is taken out of its queue. One that runs, in any
   * process, is told: `ctx.signal` aborts with a `TaskCancelledError` within half a second or so (`timing.promoteMs`, at the latest
   * with the renewal of its lease); when its handler throws then, it is cancelled, and when it returns, it is completed.
   * Safe to repeat: the first request stands.
   *
   * @param task The `ref` of its receipt, or its queue and id.
   * @param options Why, and who asks; the record of the task keeps both.
   */
  async cancel(task: TaskRef | TaskAddress, options: ActionOptions = {}): Promise<CancelReply> {
    const { queue, id } = resolveTaskAddress(task);
    const { actor: by, reason } = requireAction('cancel', options);
    const order = { reason, by, recordMs: completedRecordMs(this.follow.options) };
    const reply = await this.follow.broker.tasks.cancel(queue, id, order);
    const isChanged = reply.kind === 'cancelled' || reply.kind === 'requested';
    if (isChanged) await this.record({ action: 'cancel', queue, taskId: id, actor: by, reason });
    return reply;
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
    const who = requireAction('reschedule', options);
    if (options.delayMs === undefined && options.runAt === undefined) {
      throw new UsageError('reschedule was given no time; give delayMs or runAt, or call promote to run the task now.');
    }
    const reply = await this.follow.broker.tasks.reschedule(queue, id, dueTime(options, 'reschedule'));
    if (isMoved(reply)) await this.record({ action: 'reschedule', queue, taskId: id, ...who });
    return reply;
  }

  /**
   * Lets a task that waits for a time, delayed or between two attempts, run now.
   *
   * @param task The `ref` of its receipt, or its queue and id.
   */
  async promote(task: TaskRef | TaskAddress, options: ActionOptions = {}): Promise<RescheduleReply> {
    const { queue, id } = resolveTaskAddress(task);
    const who = requireAction('promote', options);
    const reply = await this.follow.broker.tasks.reschedule(queue, id, { delayMs: 0, runAt: 0 });
    if (isMoved(reply)) await this.record({ action: 'promote', queue, taskId: id, ...who });
    return reply;
  }

  /**
   * One page of the tasks of a queue that are in a state; waiting and active ones in the order of the queue, delayed ones by
   * the time they are due, dead ones oldest first. What moves meanwhile may be missed or told twice. `delayed` and
   * `retrying` tasks lie together, so a page can have fewer tasks than its limit and not be the last: go on until there is
   * no cursor.
   *
   * @throws InvalidOptionError for a state whose tasks cannot be listed, or a cursor of another list.
   */
  async list(queue: string, options: ListTasksOptions): Promise<TaskPage> {
    const { place, limit, cursor } = requireList(options);
    const page = await this.follow.broker.tasks.list(requireQueueName(queue), place, limit, cursor);
    const tasks = page.tasks.map(({ id, record }) => toSnapshot({ queue, id }, record));
    return {
      tasks: place === 'delayed' ? tasks.filter(({ state }) => state === options.state) : tasks,
      cursor: page.cursor,
    };
  }

  /** The last 100 lines that the handler of a task wrote with `ctx.log()`, oldest first, over all attempts. */
  async logs(task: TaskRef | TaskAddress): Promise<TaskLogLine[]> {
    const { queue, id } = resolveTaskAddress(task);
    return this.follow.broker.tasks.readLog(queue, id);
  }

  /**
   * What happens to the tasks of a queue, or to one task, in all processes that have `events` on for the queue. Looks every
   * 200 ms; who follows the same queue shares the look. Following one task ends with it, and everything with the
   * application. It is for showing: a change that
   * could not be written is missing, two changes within milliseconds can come in the other order, and whoever must know asks
   * with `get`.
   *
   * @param which `taskId` for one task. `after`: the cursor of a change to go on behind; default: from now on.
   * @throws UsageError where the option `events` of the queue is not on in this process.
   */
  events(which: FollowOptions): Observable<TaskChange> {
    const queue = requireQueueName(which.queue);
    const after = which.after === undefined ? undefined : requireEntryId('Cursor', which.after);
    if (!this.follow.broker.tasks.hasChanges(queue)) {
      throw new UsageError(
        `Nobody writes down what happens in queue "${queue}". Set queues["${queue}"].events to true.`,
      );
    }
    if (which.taskId === undefined) return this.feed.ofQueue(queue, after);
    return this.feed.ofTask(queue, requireTaskId(which.taskId), after);
  }

  private record(action: ManualAction): Promise<void> {
    return recordAction(this.follow.actions, action);
  }
}

function isMoved({ kind }: RescheduleReply): boolean {
  return kind === 'rescheduled' || kind === 'promoted';
}

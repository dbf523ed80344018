import type { Durability, InboxStore } from '../contracts/inbox-store.interface.js';
import { EnqueueManyError, type EnqueueManyItem } from '../task/enqueue-many-error.js';
import {
  DurabilityNotConfirmedError,
  DurabilityUnavailableError,
  EnqueueRefusedError,
  QueueFullError,
  QueueUnavailableError,
  TaskConflictError,
} from '../task/producer-errors.js';
import { toReceipt, type AppendedTask } from './append-reply.js';
import { CALL_LIMITS, callKey, chunkTasks, DURABLE_CALL_LIMITS, groupBy } from './chunk-tasks.js';
import type { EncodedTask } from './encode-task.js';
import type { TaskReceipt } from './enqueue-options.js';

/** One encoded task of a list, and its place there. */
export interface ListedTask extends EncodedTask {
  readonly index: number;
  readonly durability: Durability;
}

/** Any other error leaves it open whether Redis had carried the call out. */
const SURELY_NOT_ENQUEUED = [
  DurabilityUnavailableError,
  EnqueueRefusedError,
  QueueFullError,
  QueueUnavailableError,
  TaskConflictError,
] as const;

/** Calls of one queue that are sent before the first of them is answered: enough to keep Redis at work. */
const MOST_IN_FLIGHT = 4;
/** Queues are on nodes of their own, or wait for a disk: one does not wait for another. */
const MOST_QUEUES_AT_ONCE = 8;

/**
 * Appends a list of tasks; one receipt each, in the order of the list. The tasks of a queue are added in that order, and up to
 * eight queues are at work at once. Calls of one queue that wait for a disk or for replicas go one after the other. A call that fails ends it: what was not sent by then is not sent.
 *
 * @throws EnqueueManyError, which tells of every task whether it is in its queue.
 * @internal
 */
export async function appendMany(appender: InboxStore, tasks: readonly ListedTask[]): Promise<TaskReceipt[]> {
  const report = new AppendReport();
  const groups = groupBy(tasks, callKey).values();
  const appendGroups = async (): Promise<void> => {
    for (const group of groups) await appendGroup(appender, group, report);
  };
  // All of them take from the same list: one that has finished a queue goes on with the next.
  await Promise.all(Array.from({ length: MOST_QUEUES_AT_ONCE }, appendGroups));
  return report.receiptsOrThrow();
}

function appendGroup(appender: InboxStore, group: readonly ListedTask[], report: AppendReport): Promise<void> {
  const isDurable = group[0]?.durability !== 'memory';
  const calls = chunkTasks(group, isDurable ? DURABLE_CALL_LIMITS : CALL_LIMITS);
  return appendCalls(appender, calls, isDurable ? 1 : MOST_IN_FLIGHT, report);
}

async function appendCalls(
  appender: InboxStore,
  calls: readonly ListedTask[][],
  mostInFlight: number,
  report: AppendReport,
): Promise<void> {
  // One connection answers in order: the oldest call ends first.
  const inFlight: Promise<void>[] = [];
  for (const call of calls) {
    if (inFlight.length >= mostInFlight) await inFlight.shift();
    if (report.isBroken) report.addUnsent(call);
    else inFlight.push(appendChunk(appender, call, report));
  }
  await Promise.all(inFlight);
}

async function appendChunk(appender: InboxStore, chunk: readonly ListedTask[], report: AppendReport): Promise<void> {
  const [first] = chunk;
  if (first === undefined) return;
  try {
    const items = chunk.map((task) => task.item);
    const { replies, durability } = await appender.append(first.queue, items, first.durability);
    chunk.forEach((task, index) => report.addReply(task, { reply: replies[index], durability }));
  } catch (error) {
    report.addBrokenCall(chunk, error);
  }
}

/** Collects what became of each task. */
class AppendReport {
  /** True after a call that failed as a whole. */
  isBroken = false;
  private readonly receipts: TaskReceipt[] = [];
  private readonly enqueued: ListedTask[] = [];
  private readonly uncertain: ListedTask[] = [];
  private readonly notEnqueued: ListedTask[] = [];
  private readonly errors: unknown[] = [];

  addReply(task: ListedTask, appended: AppendedTask): void {
    try {
      this.receipts[task.index] = toReceipt(task.queue, task.item, appended);
      this.enqueued.push(task);
    } catch (error) {
      this.errors.push(error);
      this.listFor(error).push(task);
    }
  }

  addBrokenCall(chunk: readonly ListedTask[], error: unknown): void {
    this.isBroken = true;
    this.errors.push(error);
    this.listFor(error).push(...chunk);
  }

  addUnsent(chunk: readonly ListedTask[]): void {
    this.notEnqueued.push(...chunk);
  }

  receiptsOrThrow(): TaskReceipt[] {
    if (this.errors.length === 0) return this.receipts;
    const enqueued = this.enqueued.map(toItem);
    const uncertain = this.uncertain.map(toItem);
    const notEnqueued = this.notEnqueued.map(toItem);
    throw new EnqueueManyError({ enqueued, uncertain, notEnqueued }, this.errors);
  }

  private listFor(error: unknown): ListedTask[] {
    if (error instanceof DurabilityNotConfirmedError) return this.enqueued;
    return SURELY_NOT_ENQUEUED.some((type) => error instanceof type) ? this.notEnqueued : this.uncertain;
  }
}

function toItem({ index, queue, item }: ListedTask): EnqueueManyItem {
  return { index, queue, id: item.id };
}

import type { EnqueueFailure, ProducerObserver } from '../watch/producer-observer.interface.js';
import { EnqueueManyError } from '../task/enqueue-many-error.js';
import {
  DurabilityNotConfirmedError,
  EnqueueUncertainError,
  QueueFullError,
  QueueUnavailableError,
} from '../task/producer-errors.js';
import { RedisUnavailableError } from '../task/redis-unavailable.error.js';
import type { TaskContract } from '../task/task-contract.js';
import type { EncodedTask } from './encode-task.js';
import type { TaskReceipt } from './enqueue-options.js';

type Task = TaskContract | string;

/** Tells of one enqueue how it went. `send` hands over the task as soon as it is encoded. */
export async function observeEnqueue(
  observer: ProducerObserver,
  task: Task,
  send: (onEncoded: (encoded: EncodedTask) => void) => Promise<TaskReceipt>,
): Promise<TaskReceipt> {
  let encoded: EncodedTask | undefined;
  let sentAt = 0;
  try {
    const receipt = await send((one) => {
      encoded = one;
      sentAt = performance.now();
    });
    tellEnqueued(observer, task, encoded, receipt.duplicate);
    return receipt;
  } catch (error) {
    tellFailed(observer, task, encoded, error, failureOf(error));
    throw error;
  } finally {
    if (encoded) tellEnded(observer, [encoded], sentAt);
  }
}

/** The same for a list; `send` hands over the whole list when all of it is encoded. */
export async function observeEnqueueMany(
  observer: ProducerObserver,
  tasks: readonly { readonly task: Task }[],
  send: (onEncoded: (encoded: readonly EncodedTask[]) => void) => Promise<TaskReceipt[]>,
): Promise<TaskReceipt[]> {
  let list: readonly EncodedTask[] = [];
  let sentAt = 0;
  try {
    const receipts = await send((encoded) => {
      list = encoded;
      sentAt = performance.now();
    });
    receipts.forEach(({ duplicate }, i) => tellEnqueued(observer, taskAt(tasks, i), list[i], duplicate));
    return receipts;
  } catch (error) {
    if (error instanceof EnqueueManyError) tellParts(observer, tasks, list, error);
    // Nothing was sent; which of them was to blame is in the error.
    else if (Array.isArray(tasks)) {
      tasks.forEach((_, i) => tellFailed(observer, taskAt(tasks, i), undefined, error, failureOf(error)));
    }
    throw error;
  } finally {
    if (list.length > 0) tellEnded(observer, list, sentAt);
  }
}

function tellParts(
  observer: ProducerObserver,
  tasks: readonly { readonly task: Task }[],
  list: readonly EncodedTask[],
  error: EnqueueManyError,
): void {
  const failure = failureOf(error.errors[0]);
  for (const { index } of error.enqueued) tellEnqueued(observer, taskAt(tasks, index), list[index], false);
  for (const { index } of error.uncertain) tellFailed(observer, taskAt(tasks, index), list[index], error, 'uncertain');
  for (const { index } of error.notEnqueued) tellFailed(observer, taskAt(tasks, index), list[index], error, failure);
}

/** Without the compiler anything may stand in the list. */
function taskAt(tasks: readonly { readonly task: Task }[], index: number): Task {
  return (tasks[index] as { readonly task?: Task } | undefined)?.task ?? '';
}

function tellEnqueued(
  observer: ProducerObserver,
  task: Task,
  encoded: EncodedTask | undefined,
  isDuplicate: boolean,
): void {
  if (encoded === undefined) return;
  const { queue, item } = encoded;
  observer.observe({ kind: 'enqueued', queue, item, isDuplicate, isContract: typeof task !== 'string' });
}

function tellFailed(
  observer: ProducerObserver,
  task: Task,
  encoded: EncodedTask | undefined,
  error: unknown,
  failure: EnqueueFailure,
): void {
  const contract = typeof task === 'string' ? undefined : (task as TaskContract | undefined);
  const name: unknown = typeof task === 'string' ? task : contract?.name;
  observer.observe({
    kind: 'enqueue-failed',
    queue: encoded?.queue ?? contract?.queue,
    name: typeof name === 'string' ? name : '',
    taskId: encoded?.item.id,
    failure,
    error,
    isContract: contract !== undefined,
  });
}

function tellEnded(observer: ProducerObserver, list: readonly EncodedTask[], sentAt: number): void {
  const durationMs = performance.now() - sentAt;
  for (const queue of new Set(list.map((task) => task.queue)))
    observer.observe({ kind: 'enqueue-ended', queue, durationMs });
}

/** What an error of a producer means for the task. */
function failureOf(error: unknown): EnqueueFailure {
  if (error instanceof QueueFullError) return 'full';
  if (error instanceof QueueUnavailableError || error instanceof RedisUnavailableError) return 'unavailable';
  if (error instanceof EnqueueUncertainError || error instanceof DurabilityNotConfirmedError) return 'uncertain';
  return 'rejected';
}

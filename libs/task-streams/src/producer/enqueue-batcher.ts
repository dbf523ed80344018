import type { Durability, TaskAppender } from '../contracts/broker.interface.js';
import { errorForTask } from '../task/batch-error.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import type { AppendedTask } from './append-reply.js';
import { callKey, chunkTasks, groupBy, MAX_TEXT_OF_CALL } from './chunk-tasks.js';

const BATCH_LIMITS = { maxItems: 200, maxText: MAX_TEXT_OF_CALL };

interface WaitingTask {
  readonly queue: string;
  readonly item: EnqueueItem;
  readonly durability: Durability;
  readonly resolve: (appended: AppendedTask) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the tasks that were enqueued in one turn of the event loop together: one call for each queue and durability,
 * of up to 200 tasks. Every caller gets the answer about its own task.
 *
 * @internal
 */
export class EnqueueBatcher {
  private waiting: WaitingTask[] = [];

  constructor(private readonly appender: TaskAppender) {}

  /** Sends the task with the others of this turn. Rejects with the error of the call. */
  append(queue: string, item: EnqueueItem, durability: Durability): Promise<AppendedTask> {
    return new Promise((resolve, reject) => {
      // setImmediate and not a microtask: what arrives by several sockets in one turn is sent together.
      if (this.waiting.push({ queue, item, durability, resolve, reject }) === 1) setImmediate(() => this.send());
    });
  }

  private send(): void {
    const tasks = this.waiting;
    this.waiting = [];
    for (const group of groupBy(tasks, callKey)) {
      for (const batch of chunkTasks(group, BATCH_LIMITS)) void this.sendBatch(batch);
    }
  }

  private async sendBatch(batch: readonly WaitingTask[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    try {
      const items = batch.map((task) => task.item);
      const { replies, durability } = await this.appender.append(first.queue, items, first.durability);
      batch.forEach((task, index) => task.resolve({ reply: replies[index], durability }));
    } catch (error) {
      for (const task of batch) task.reject(batch.length === 1 ? error : errorForTask(error, task.item.id));
    }
  }
}

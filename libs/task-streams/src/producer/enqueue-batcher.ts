import type { Durability, InboxStore } from '../contracts/inbox-store.interface.js';
import { errorForTask } from '../task/batch-error.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import type { AppendedTask } from './append-reply.js';
import { CALL_LIMITS, callKey, chunkTasks, DURABLE_CALL_LIMITS } from './chunk-tasks.js';

interface WaitingTask {
  readonly queue: string;
  readonly item: EnqueueItem;
  readonly durability: Durability;
  readonly resolve: (appended: AppendedTask) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the tasks that were enqueued in one turn of the event loop together, in a call for each queue and durability. When
 * there are enough for a call it is sent at once, and Redis works on it while the others are put together.
 *
 * @internal
 */
export class EnqueueBatcher {
  private readonly waiting = new Map<string, WaitingTask[]>();

  constructor(private readonly appender: InboxStore) {}

  /** Sends the task with the others of this turn. Rejects with the error of the call. */
  append(queue: string, item: EnqueueItem, durability: Durability): Promise<AppendedTask> {
    return new Promise((resolve, reject) => this.add({ queue, item, durability, resolve, reject }));
  }

  private add(task: WaitingTask): void {
    const key = callKey(task);
    const batch = this.waiting.get(key);
    if (batch === undefined) {
      // setImmediate and not a microtask: what arrives by several sockets in one turn is sent together.
      if (this.waiting.size === 0) setImmediate(() => this.sendAll());
      this.waiting.set(key, [task]);
      return;
    }
    batch.push(task);
    if (batch.length < CALL_LIMITS.maxItems || task.durability !== 'memory') return;
    this.waiting.set(key, []);
    this.send(batch);
  }

  private sendAll(): void {
    const batches = [...this.waiting.values()];
    this.waiting.clear();
    for (const batch of batches) this.send(batch);
  }

  private send(batch: readonly WaitingTask[]): void {
    const limits = batch[0]?.durability === 'memory' ? CALL_LIMITS : DURABLE_CALL_LIMITS;
    for (const call of chunkTasks(batch, limits)) void this.sendBatch(call);
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

import type { AppendBatchReply } from '../../contracts/inbox-store.interface.js';
import type { NewChange, TaskChange, TaskChangeKind, TaskStore } from '../../contracts/task-store.interface.js';
import { fieldOf } from '../../task/entry-fields.js';
import type { EnqueueItem } from '../../task/task-outcome.js';
import type { RedisSession } from '../connection/redis-session.js';

/** Changes kept of a queue, more or less: whole nodes of a stream go. */
const KEPT_CHANGES = 10_000;
/** Changes that wait for Redis; what comes on top is lost. */
const MAX_WAITING = 5_000;
const BATCH = 200;
const START = '0-0';

/**
 * Writes down what happens to tasks, in one bounded stream a queue. Changes go out together with what else came while a
 * call was on its way, and nobody waits for them: following a queue must not make it slower or less sure.
 */
export class ChangeLog implements Pick<TaskStore, 'hasChanges' | 'publish' | 'readChanges' | 'lastChange'> {
  private readonly waiting = new Map<string, NewChange[]>();
  private readonly writing = new Set<string>();

  constructor(private readonly session: RedisSession) {}

  hasChanges(queue: string): boolean {
    return this.session.options.queues[queue]?.events === true;
  }

  publish(queue: string, change: NewChange): void {
    if (!this.hasChanges(queue)) return;
    const waiting = this.waiting.get(queue);
    if (waiting === undefined) this.waiting.set(queue, [change]);
    else if (waiting.length < MAX_WAITING) waiting.push(change);
    if (!this.writing.has(queue)) void this.write(queue);
  }

  /** Writes down which of the items were added. */
  async publishAdded(
    queue: string,
    items: readonly EnqueueItem[],
    appended: Promise<AppendBatchReply>,
  ): Promise<AppendBatchReply> {
    const batch = await appended;
    batch.replies.forEach((reply, i) => {
      const { id: taskId, name } = items[i] as EnqueueItem;
      if (reply.kind === 'added')
        this.publish(queue, { kind: 'enqueued', taskId, name, details: { state: reply.state } });
    });
    return batch;
  }

  async readChanges(queue: string, after: string, max: number): Promise<TaskChange[]> {
    const { events } = this.session.keys(queue);
    const entries = await this.session.ask(queue, (client) => client.xrange(events, `(${after}`, '+', 'COUNT', max));
    return entries.map(([cursor, fields]) => decodeChange(queue, cursor, fields));
  }

  async lastChange(queue: string): Promise<string> {
    const { events } = this.session.keys(queue);
    const [last] = await this.session.ask(queue, (client) => client.xrevrange(events, '+', '-', 'COUNT', 1));
    return last?.[0] ?? START;
  }

  /** Writes until nothing waits. */
  private async write(queue: string): Promise<void> {
    this.writing.add(queue);
    // What this turn of the event loop still brings goes along.
    await Promise.resolve();
    for (let batch = this.take(queue); batch.length > 0; batch = this.take(queue)) {
      const args = batch.flatMap(({ kind, taskId, name, details }) => [
        kind,
        taskId,
        name,
        details === undefined ? '' : JSON.stringify(details),
      ]);
      // Whoever follows can still ask for the task: a lost change is no reason to keep others back.
      await this.session.run('publish', queue, [KEPT_CHANGES, ...args]).catch(() => undefined);
    }
    this.writing.delete(queue);
  }

  private take(queue: string): NewChange[] {
    const waiting = this.waiting.get(queue) ?? [];
    const batch = waiting.splice(0, BATCH);
    if (waiting.length === 0) this.waiting.delete(queue);
    return batch;
  }
}

function decodeChange(queue: string, cursor: string, fields: readonly string[]): TaskChange {
  const details = fieldOf(fields, 'details') ?? '';
  return {
    kind: (fieldOf(fields, 'kind') ?? '') as TaskChangeKind,
    queue,
    taskId: fieldOf(fields, 'id') ?? '',
    name: fieldOf(fields, 'name') ?? '',
    at: new Date(Number(cursor.split('-')[0])),
    cursor,
    details: details === '' ? undefined : parse(details),
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

import type { TaskStore } from '../contracts/task-store.interface.js';
import type { AppendBatchReply, AppendReply, Durability, InboxStore } from '../contracts/inbox-store.interface.js';
import { hashPayload } from '../task/payload-hash.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import type { TaskRecord } from '../task/task-record.js';
import type { TaskClientDeps } from './task-client.js';

const EMPTY: TaskRecord = {
  state: 'waiting',
  entryId: undefined,
  token: undefined,
  failedAttempts: 0,
  deliveryCount: 0,
  hash: undefined,
  enqueuedAt: 1_000,
  startedAt: undefined,
  finishedAt: undefined,
  dueAt: undefined,
  name: '',
  result: undefined,
  resultOmitted: undefined,
  error: undefined,
  progress: undefined,
  cancel: undefined,
};

/** Our own port, held in memory: knows ids and payload hashes as the Redis one does. For specs of this folder. */
export class FakeBroker implements InboxStore, Pick<TaskStore, 'get' | 'reportProgress'> {
  readonly calls: {
    readonly queue: string;
    readonly items: readonly EnqueueItem[];
    readonly durability: Durability;
  }[] = [];
  /** Task ids that are refused with an error reply. */
  readonly refusedIds = new Set<string>();
  /** What the call of this number (from 0) rejects with. */
  readonly failures = new Map<number, Error>();
  /** Nothing is answered before it. */
  gate: Promise<void> | undefined;
  private readonly records = new Map<string, TaskRecord>();

  /** As the port, for a client that is asked for nothing else. */
  asPort(): TaskClientDeps['broker'] {
    return { inbox: this, tasks: this as unknown as TaskStore };
  }

  append(queue: string, items: readonly EnqueueItem[], durability: Durability): Promise<AppendBatchReply> {
    const failure = this.failures.get(this.calls.length);
    this.calls.push({ queue, items, durability });
    if (failure) return Promise.reject(failure);
    const level = durability === 'memory' || durability === 'fsync' ? durability : 'replicas';
    const reply: AppendBatchReply = {
      replies: items.map((item) => this.appendOne(queue, item)),
      durability: { level, confirmedBy: undefined, replicas: undefined },
    };
    return Promise.resolve(this.gate).then(() => reply);
  }

  get(queue: string, id: string): Promise<TaskRecord | undefined> {
    return Promise.resolve(this.records.get(`${queue} ${id}`));
  }

  reportProgress(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Writes a part of a record, as a worker would. */
  put(queue: string, id: string, record: Partial<TaskRecord>): void {
    const key = `${queue} ${id}`;
    this.records.set(key, { ...EMPTY, ...this.records.get(key), ...record });
  }

  private appendOne(queue: string, item: EnqueueItem): AppendReply {
    if (this.refusedIds.has(item.id)) return { kind: 'refused', reply: 'WRONGTYPE not a stream' };
    const known = this.records.get(`${queue} ${item.id}`);
    if (known) {
      const isSame = known.hash === hashPayload(item.body) && known.name === item.name;
      return isSame ? { kind: 'duplicate', entryId: known.entryId, state: known.state } : { kind: 'conflict' };
    }
    const isDelayed = item.delayMs > 0 || item.runAt > 0;
    const state = isDelayed ? 'delayed' : 'waiting';
    const entryId = isDelayed ? undefined : `${this.records.size + 1}-0`;
    this.put(queue, item.id, { state, entryId, hash: hashPayload(item.body), name: item.name });
    return { kind: 'added', entryId, state };
  }
}

import type {
  CancelOrder,
  CancelReply,
  ListablePlace,
  ListedPage,
  NewChange,
  RescheduleReply,
  TaskChange,
  TaskLogLine,
  TaskStore,
} from '../../contracts/task-store.interface.js';
import type { Ownership } from '../../contracts/work-store.interface.js';
import { decodeTaskRecord, type TaskRecord } from '../../task/task-record.js';
import type { TaskState } from '../../task/task-state.js';
import { encodeWhoAndWhy } from '../../task/who-and-why.js';
import type { ChangeLog } from './change-log.js';
import { asActive } from './decode-active.js';
import type { RedisSession } from '../connection/redis-session.js';
import { decodeLine, decodeListed, encodeLine, type TaskRow } from './task-codec.js';

/** What cancel.lua returns. */
type CancelRow = readonly [kind: CancelReply['kind'], state: string, name: string];

/** Lines kept of a task; the oldest go first. */
const KEPT_LINES = 100;

/** Single tasks: their records, their last log lines, and the changes of queues that are followed. */
export class RedisTasks implements TaskStore {
  constructor(
    private readonly session: RedisSession,
    private readonly changes: ChangeLog,
  ) {}

  async get(queue: string, id: string): Promise<TaskRecord | undefined> {
    const { identity, options } = this.session;
    const args = [id, identity.name, options.retention.deadLettersMs];
    const [text, token = '', mark = ''] = (await this.session.runFor('get', queue, args)) as string[];
    const record = text === undefined ? undefined : decodeTaskRecord(text);
    return record && token !== '' ? asActive(record, token, mark === '' ? undefined : mark) : record;
  }

  async reportProgress(owner: Ownership, json: string): Promise<boolean> {
    const { queue, taskId, name } = owner;
    const isOurs = (await this.session.run('progress', queue, [owner.entryId, taskId, owner.token, json])) === 1;
    if (isOurs && this.changes.hasChanges(queue)) {
      this.changes.publish(queue, { kind: 'progress', taskId, name, details: JSON.parse(json) as unknown });
    }
    return isOurs;
  }

  async cancel(queue: string, id: string, order: CancelOrder): Promise<CancelReply> {
    const args = [id, order.recordMs, encodeWhoAndWhy(order)];
    const [kind, state, name] = (await this.session.runFor('cancel', queue, args)) as CancelRow;
    if (kind === 'cancelled' || kind === 'requested') {
      const { by, reason } = order;
      const change = kind === 'cancelled' ? kind : 'cancel-requested';
      this.changes.publish(queue, { kind: change, taskId: id, name, details: { by, reason } });
    }
    return { kind, state: state === '' ? undefined : (state as TaskState) };
  }

  async reschedule(
    queue: string,
    id: string,
    due: { readonly delayMs: number; readonly runAt: number },
  ): Promise<RescheduleReply> {
    const reply = (await this.session.runFor('reschedule', queue, [id, due.delayMs, due.runAt])) as string[];
    const [kind, detail, name = ''] = reply;
    const runAt = new Date(Number(detail));
    if (kind === 'rescheduled') {
      this.changes.publish(queue, { kind, taskId: id, name, details: { runAt } });
      return { kind, runAt };
    }
    if (kind === 'promoted') this.changes.publish(queue, { kind, taskId: id, name });
    if (kind === 'not-delayed') return { kind, state: detail as TaskState };
    return { kind: kind as 'promoted' | 'unknown' };
  }

  async list(queue: string, place: ListablePlace, limit: number, cursor: string | undefined): Promise<ListedPage> {
    const reply = (await this.session.runFor('list', queue, [place, limit, cursor ?? ''])) as [string, TaskRow[]];
    const [next, rows] = reply;
    return { tasks: rows.map((row) => decodeListed(row, place)), cursor: next === '' ? undefined : next };
  }

  async appendLog(
    owner: { readonly queue: string; readonly taskId: string },
    lines: readonly TaskLogLine[],
  ): Promise<void> {
    const { logsMs } = this.session.options.retention;
    const texts = lines.slice(-KEPT_LINES).map(encodeLine);
    await this.session.run('log', owner.queue, [owner.taskId, KEPT_LINES, logsMs, ...texts]);
  }

  async readLog(queue: string, id: string): Promise<TaskLogLine[]> {
    const key = this.session.keys(queue).log(id);
    const lines = await this.session.ask(queue, (client) => client.lrange(key, 0, -1));
    return lines.map(decodeLine);
  }

  get isClosed(): boolean {
    return this.session.connections.isClosed;
  }

  hasChanges(queue: string): boolean {
    return this.changes.hasChanges(queue);
  }

  publish(queue: string, change: NewChange): void {
    this.changes.publish(queue, change);
  }

  readChanges(queue: string, after: string, max: number): Promise<TaskChange[]> {
    return this.changes.readChanges(queue, after, max);
  }

  lastChange(queue: string): Promise<string> {
    return this.changes.lastChange(queue);
  }
}

import type { Ownership, TaskRecords } from '../contracts/broker.interface.js';
import type { MarkedEntry, PromoteReply, TaskPromoter } from '../contracts/task-promoter.interface.js';
import { decodeCancelMark } from '../task/cancel-request.js';
import { decodeTaskRecord, type TaskRecord } from '../task/task-record.js';
import { asActive } from './decode-active.js';
import type { RedisTaskChanges } from './redis-task-changes.js';
import type { RedisSession } from './redis-session.js';

const PROMOTE_BATCH = 100;

/** Reads and writes the records of tasks. */
export class RedisRecords implements TaskRecords {
  constructor(
    private readonly session: RedisSession,
    private readonly changes: RedisTaskChanges,
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
}

/** What promote.lua returns. */
type PromoteRow = readonly [moved: number, nextInMs: string, blocked: string, paused: number, marks: readonly string[]];

function decodeMarks(marks: readonly string[]): MarkedEntry[] {
  const marked: MarkedEntry[] = [];
  for (let i = 0; i < marks.length; i += 2) {
    marked.push({ entryId: marks[i] as string, request: decodeCancelMark(marks[i + 1] as string) });
  }
  return marked;
}

/** Moves due tasks into the stream. */
export class RedisPromoter implements TaskPromoter {
  constructor(private readonly session: RedisSession) {}

  async promote(queue: string): Promise<PromoteReply> {
    const { identity, options } = this.session;
    const args = [PROMOTE_BATCH, identity.name, options.retention.deadLettersMs];
    const reply = (await this.session.run('promote', queue, args)) as PromoteRow;
    const [count, next, blocked, paused, marks] = reply;
    return {
      promotedCount: count,
      nextInMs: next === '-1' ? undefined : Number(next),
      blocked: blocked === '' ? undefined : blocked,
      isPaused: paused === 1,
      cancels: decodeMarks(marks),
    };
  }
}

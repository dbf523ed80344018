import type { Ownership, PromoteReply, TaskPromoter, TaskRecords } from '../contracts/broker.interface.js';
import { decodeTaskRecord, type TaskRecord } from '../task/task-record.js';
import type { RedisSession } from './redis-session.js';

const PROMOTE_BATCH = 100;

/** Reads and writes the records of tasks. */
export class RedisRecords implements TaskRecords {
  constructor(private readonly session: RedisSession) {}

  async get(queue: string, id: string): Promise<TaskRecord | undefined> {
    const keys = this.session.keys(queue);
    return this.session.ask(async (client) => {
      const text = await client.get(keys.record(id));
      const record = text === null ? undefined : decodeTaskRecord(text);
      if (record?.state !== 'waiting' || record.entryId === undefined) return record;
      const token = await client.hget(keys.owners, record.entryId);
      return token === null ? record : asActive(record, token);
    });
  }

  async reportProgress(owner: Ownership, json: string): Promise<boolean> {
    return (await this.session.run('progress', owner.queue, [owner.entryId, owner.taskId, owner.token, json])) === 1;
  }
}

/** A running task is `waiting` in its record; its token says the rest: nonce, claim, claimed at, hand-outs. */
function asActive(record: TaskRecord, token: string): TaskRecord {
  const [, , claimedAt, deliveries] = token.split('.');
  return { ...record, state: 'active', token, startedAt: Number(claimedAt), deliveryCount: Number(deliveries) };
}

/** Moves due tasks into the stream. */
export class RedisPromoter implements TaskPromoter {
  constructor(private readonly session: RedisSession) {}

  async promote(queue: string): Promise<PromoteReply> {
    const args = [PROMOTE_BATCH, this.session.identity.name];
    const [count, next, trouble] = (await this.session.run('promote', queue, args)) as [number, string, string];
    return {
      promotedCount: count,
      nextInMs: next === '-1' ? undefined : Number(next),
      trouble: trouble === '' ? undefined : trouble,
    };
  }
}

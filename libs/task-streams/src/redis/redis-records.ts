import type { Ownership, PromoteReply, TaskPromoter, TaskRecords } from '../contracts/broker.interface.js';
import { decodeTaskRecord, type TaskRecord } from '../task/task-record.js';
import type { RedisSession } from './redis-session.js';

const PROMOTE_BATCH = 100;

/** Reads and writes the records of tasks. */
export class RedisRecords implements TaskRecords {
  constructor(private readonly session: RedisSession) {}

  async get(queue: string, id: string): Promise<TaskRecord | undefined> {
    const client = await this.session.command();
    const text = await client.get(this.session.keys(queue).record(id));
    return text === null ? undefined : decodeTaskRecord(text);
  }

  async reportProgress(owner: Ownership, json: string): Promise<boolean> {
    const args = [this.session.identity.name, owner.entryId, owner.taskId, owner.token, owner.deliveryCount, json];
    return (await this.session.run('progress', owner.queue, args)) === 1;
  }
}

/** Moves due tasks into the stream. */
export class RedisPromoter implements TaskPromoter {
  constructor(private readonly session: RedisSession) {}

  async promote(queue: string): Promise<PromoteReply> {
    const [count, next] = (await this.session.run('promote', queue, [PROMOTE_BATCH])) as [number, string];
    return { promotedCount: count, nextInMs: next === '-1' ? undefined : Number(next) };
  }
}

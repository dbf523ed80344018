import type { DrainReply, DrainStep, ForgetKeyReply, QueueControlStore } from '../contracts/queue-control.interface.js';
import { keyScope } from '../task/names.js';
import { decodeWhoAndWhy, encodeWhoAndWhy, type WhoAndWhy } from '../task/who-and-why.js';
import type { RedisSession } from './redis-session.js';

/** Tasks removed by one call: Redis serves nobody else meanwhile. */
const DRAIN_BATCH = 200;

/** Stops and empties whole queues, and forgets what they remember. */
export class RedisQueueControl implements QueueControlStore {
  constructor(private readonly session: RedisSession) {}

  async pause(queue: string, who: Omit<WhoAndWhy, 'at'>): Promise<boolean> {
    return (await this.session.runFor('pause', queue, [encodeWhoAndWhy(who)])) === 1;
  }

  async resume(queue: string): Promise<boolean> {
    return (await this.session.runFor('pause', queue, [''])) === 1;
  }

  async getPause(queue: string): Promise<WhoAndWhy | undefined> {
    const { meta } = this.session.keys(queue);
    const paused = await this.session.ask(queue, (client) => client.hget(meta, 'paused'));
    return paused === null ? undefined : decodeWhoAndWhy(paused);
  }

  async drainStep(queue: string, { place, bound, recordMs, ...who }: DrainStep): Promise<DrainReply> {
    const args = [place, DRAIN_BATCH, bound ?? '', recordMs, encodeWhoAndWhy(who)];
    const [removedCount, end, more] = (await this.session.runFor('drain', queue, args)) as [number, string, number];
    return { removedCount, bound: end, hasMore: more === 1 };
  }

  async forgetKey(queue: string, taskName: string, key: string): Promise<ForgetKeyReply> {
    const kind = await this.session.runFor('forget-key', queue, [keyScope(taskName, key)]);
    return { kind: kind as ForgetKeyReply['kind'] };
  }
}

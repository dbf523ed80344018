import type {
  DrainBounds,
  DrainReply,
  DrainStep,
  ForgetIdReply,
  ForgetKeyReply,
  QueueControlStore,
} from '../contracts/queue-control.interface.js';
import { keyScope } from '../task/names.js';
import type { TaskState } from '../task/task-state.js';
import { decodeWhoAndWhy, encodeWhoAndWhy, type WhoAndWhy } from '../task/who-and-why.js';
import type { RedisSession } from './redis-session.js';

/** Tasks one call looks at, about 5 ms: Redis serves nobody else meanwhile. A megabyte of payloads ends it, too. */
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
    const paused = await this.session.ask((client) => client.hget(meta, 'paused'));
    return paused === null ? undefined : decodeWhoAndWhy(paused);
  }

  async beginDrain(queue: string, isWithDelayed: boolean): Promise<DrainBounds> {
    const reply = await this.session.runFor('drain', queue, ['begin', isWithDelayed ? 1 : 0]);
    const [waiting, dead, mark] = reply as [string, string, string];
    return { waiting, dead, mark };
  }

  async drainStep(queue: string, step: DrainStep): Promise<DrainReply> {
    const { place, bounds, cursor = '', recordMs, by, reason } = step;
    const bound = place === 'delayed' ? '' : bounds[place];
    const args = [place, DRAIN_BATCH, cursor, bound, bounds.mark, recordMs, encodeWhoAndWhy({ by, reason })];
    const reply = await this.session.runFor('drain', queue, args);
    const [removedCount, next, error] = reply as [number, string, string];
    return { removedCount, cursor: next || undefined, error: error || undefined };
  }

  async endDrain(queue: string, { mark }: DrainBounds): Promise<number> {
    return mark === '' ? 0 : ((await this.session.runFor('drain', queue, ['end', mark])) as number);
  }

  async forgetId(queue: string, id: string): Promise<ForgetIdReply> {
    const reply = await this.session.runFor('forget-id', queue, [id]);
    const [kind, state] = reply as [ForgetIdReply['kind'], TaskState | ''];
    return { kind, state: state || undefined };
  }

  async forgetKey(queue: string, taskName: string, key: string): Promise<ForgetKeyReply> {
    const kind = await this.session.runFor('forget-key', queue, [keyScope(taskName, key)]);
    return { kind: kind as ForgetKeyReply['kind'] };
  }
}

import type { BrokerInspector } from '../contracts/broker.interface.js';
import type { QueueDepth, QueueInspector, QueueReport } from '../contracts/queue-inspector.interface.js';
import type { ServerReport } from '../contracts/server-report.interface.js';
import { decodeWhoAndWhy } from '../task/who-and-why.js';
import type { RedisSession } from './redis-session.js';

/** What depth.lua returns. */
type DepthReply = readonly [
  waiting: number,
  active: number,
  delayed: number,
  dead: number,
  oldestWaitingMs: number,
  paused: string,
];

/** Reads what health checks and metrics show. */
export class RedisInspector implements BrokerInspector, QueueInspector {
  constructor(private readonly session: RedisSession) {}

  async depth(queue: string): Promise<QueueDepth> {
    const reply = (await this.session.run('depth', queue, [])) as DepthReply;
    const [waiting, active, delayed, dead, oldestWaitingMs, paused] = reply;
    return {
      waiting,
      active,
      delayed,
      dead,
      oldestWaitingMs,
      ...(paused === '' ? {} : { paused: decodeWhoAndWhy(paused) }),
    };
  }

  async inspect(queue: string, liveMs: number): Promise<QueueReport> {
    const reply = (await this.session.run('inspect', queue, [liveMs])) as number[];
    const [waiting = 0, active = 0, delayed = 0, dead = 0, live = 0, stale = 0, lag, ...ages] = reply;
    const [oldestWaiting, oldestPendingIdle, oldestDead] = ages.map(known);
    return {
      waiting,
      active,
      delayed,
      dead,
      liveConsumers: live,
      staleConsumers: stale,
      lag: known(lag),
      oldestWaitingMs: oldestWaiting ?? 0,
      oldestPendingIdleMs: oldestPendingIdle,
      oldestDeadMs: oldestDead,
    };
  }

  async server(): Promise<ServerReport> {
    return this.session.detectServer(await this.session.command());
  }
}

/** A script cannot answer "nothing" inside a list: -1 stands for it. */
function known(value: number | undefined): number | undefined {
  return value === undefined || value < 0 ? undefined : value;
}

import type { BrokerInspector, QueueDepth } from '../contracts/broker.interface.js';
import type { ServerReport } from '../contracts/server-report.interface.js';
import type { RedisSession } from './redis-session.js';

/** Reads what health checks show. */
export class RedisInspector implements BrokerInspector {
  constructor(private readonly session: RedisSession) {}

  async depth(queue: string): Promise<QueueDepth> {
    const [waiting, active, delayed, dead, oldestWaitingMs] = (await this.session.run('depth', queue, [])) as number[];
    return {
      waiting: waiting ?? 0,
      active: active ?? 0,
      delayed: delayed ?? 0,
      dead: dead ?? 0,
      oldestWaitingMs: oldestWaitingMs ?? 0,
    };
  }

  async server(): Promise<ServerReport> {
    return this.session.detectServer(await this.session.command());
  }
}

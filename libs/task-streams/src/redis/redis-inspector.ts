import type { BrokerInspector } from '../contracts/broker-lifecycle.interface.js';
import type { QueueDepth, QueueInspector, QueueReport } from '../contracts/queue-inspector.interface.js';
import type { ServerReport } from '../contracts/server-report.interface.js';
import { decodeWhoAndWhy } from '../task/who-and-why.js';
import { leaveTogether } from './leave-together.js';
import type { RedisSession } from './redis-session.js';
import { detectServers } from './detect-servers.js';
import { runScript } from './run-script.js';

/** What depth.lua returns. */
type DepthReply = readonly [
  waiting: number,
  active: number,
  delayed: number,
  dead: number,
  oldestWaitingMs: number,
  paused: string,
];

/** What inspect.lua returns. */
type InspectReply = readonly [
  waiting: number,
  active: number,
  delayed: number,
  dead: number,
  liveConsumers: number,
  staleConsumers: number,
  lag: number,
  oldestWaitingMs: number,
  oldestPendingIdleMs: number,
  oldestDeadMs: number,
  paused: string,
  foreignGroups: number,
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
      ...pauseOf(paused),
    };
  }

  async inspect(queue: string): Promise<QueueReport> {
    const { session } = this;
    const asked = session.command(queue, (client) => {
      // A scrape asks about every queue at once.
      leaveTogether(client);
      return runScript(client, session.script('inspect'), session.keys(queue).stream, []);
    });
    const reply = (await asked) as InspectReply;
    const [waiting, active, delayed, dead, live, stale, lag, oldestWaitingMs, pendingIdleMs, oldestDeadMs, ...rest] =
      reply;
    const [paused, foreignGroups] = rest;
    return {
      waiting,
      active,
      delayed,
      dead,
      liveConsumers: live,
      staleConsumers: stale,
      lag: known(lag),
      oldestWaitingMs: known(oldestWaitingMs) ?? 0,
      oldestPendingIdleMs: known(pendingIdleMs),
      oldestDeadMs: known(oldestDeadMs),
      foreignGroups,
      ...pauseOf(paused),
    };
  }

  async checkWrites(queue: string): Promise<void> {
    await this.session.run('probe', queue, []);
  }

  async server(): Promise<ServerReport> {
    return detectServers(this.session, await this.session.primaries());
  }
}

/** A script cannot answer "nothing" inside a list: -1 stands for it. */
function known(value: number): number | undefined {
  return value < 0 ? undefined : value;
}

function pauseOf(json: string): Pick<QueueDepth, 'paused'> {
  return json === '' ? {} : { paused: decodeWhoAndWhy(json) };
}

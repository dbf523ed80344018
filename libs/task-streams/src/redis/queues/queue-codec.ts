import type { QueueReport, WorkerHeartbeat, WorkerInfo } from '../../contracts/queue-store.interface.js';
import { decodeWhoAndWhy } from '../../task/who-and-why.js';

/** What inspect.lua returns. */
export type ReportRow = readonly [
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

export function decodeReport(reply: ReportRow): QueueReport {
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

/** A script cannot answer "nothing" inside a list: -1 stands for it. */
function known(value: number): number | undefined {
  return value < 0 ? undefined : value;
}

function pauseOf(json: string): Pick<QueueReport, 'paused'> {
  return json === '' ? {} : { paused: decodeWhoAndWhy(json) };
}

/** What workers.lua returns of a worker. */
export type WorkerRow = readonly [name: string, pending: number, idleMs: number, heartbeat: string, isLive: 0 | 1];

export function decodeWorker([name, pendingCount, idleMs, heartbeat, isLive]: WorkerRow): WorkerInfo {
  const [nonce = '', pid = '', ...host] = name.split(':').toReversed();
  const where = { host: host.toReversed().join(':'), pid: Number(pid) || 0, nonce };
  return { name, ...where, pendingCount, idleMs, isLive: isLive === 1, heartbeat: decodeHeartbeat(heartbeat) };
}

function decodeHeartbeat(text: string): WorkerHeartbeat | undefined {
  const space = text.indexOf(' ');
  if (space < 0) return undefined;
  try {
    const { version, running, concurrency, leaseMs, startedAt } = JSON.parse(text.slice(space + 1)) as Record<
      string,
      unknown
    >;
    return {
      at: new Date(Number(text.slice(0, space))),
      version: String(version),
      runningCount: Number(running) || 0,
      concurrency: Number(concurrency) || 0,
      leaseMs: Number(leaseMs) || 0,
      startedAt: new Date(Number(startedAt) || 0),
    };
  } catch {
    return undefined;
  }
}

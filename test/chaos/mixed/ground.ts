import type { ConnectionOptions, Durability } from 'nestjs-task-streams';
import { findFaketime } from '../../../scripts/chaos/find-faketime.mjs';
import type { NodeAddress } from '../../support/topologies/cluster-connection.js';
import type { Grounds } from '../../support/topologies/grounds.js';
import { askRedis } from '../../../scripts/redis/index.mjs';
import type { Bench } from '../harness/bench.js';
import type { TimeSpan } from '../harness/ledger-lines.js';
import { startRedisWithClock, type RedisClock } from '../harness/redis-clock.js';
import { lasts, until } from '../harness/until.js';

/** What a fault of the servers may have cost. */
export interface Blow {
  readonly mayLose?: TimeSpan;
}

/** The servers of a mixed run, and what is done to them where that depends on what they are. */
export interface Ground {
  /** What applications are told, where it can be written as JSON. */
  readonly connection: ConnectionOptions;
  /** Nodes of a Cluster, in place of `connection`. */
  readonly clusterNodes?: readonly NodeAddress[];
  /** Breaks the connections of everybody. */
  cutConnections(): Promise<unknown>;
  /** Faults that only these servers can have. */
  readonly blows: Readonly<Record<string, (size: number) => Promise<Blow | void>>>;
  /** Kinds that cannot be had here. */
  readonly lacking: readonly string[];
  /** How half of the tasks are confirmed, where something can be lost. */
  readonly durability?: Durability;
}

const CLOCK_FAULTS = ['redis-clock-ahead', 'redis-clock-back'];

/** One Redis that writes everything to its disk, behind a proxy. */
export async function singleGround(bench: Bench, { hasClock = false } = {}): Promise<Ground> {
  const options = { appendOnly: true, extraArgs: ['--appendfsync', 'always'] };
  const faketime = hasClock ? await findFaketime() : undefined;
  const clock = faketime ? await startRedisWithClock(bench, faketime, options) : undefined;
  if (hasClock && !clock) bench.note('without jumps of the clock: it cannot be set here');
  if (!faketime) await bench.startRedis(options);
  const proxy = await bench.startProxy();
  return {
    connection: { url: proxy.url },
    cutConnections: async () => proxy.resetAll(),
    blows: clock ? clockBlows(bench, clock) : {},
    lacking: clock ? [] : CLOCK_FAULTS,
  };
}

/** Each leaves the clock where nothing has to wait for it: an hour ahead, or where it was. */
function clockBlows(bench: Bench, clock: RedisClock): Ground['blows'] {
  return {
    'redis-clock-ahead': () => clock.jump(1),
    'redis-clock-back': async () => {
      await clock.jump(-1);
      await lasts(bench.leaseMs);
      await clock.jump(1);
    },
  };
}

/** Servers that end with the run. */
export function groundsOf(bench: Bench): Grounds {
  return {
    start: (options) => bench.anotherRedis(options),
    until,
    onClose: (close) => bench.onClose(close),
  };
}

const DEAF_MS = 700;

export const DEAF_ARGS = ['--enable-debug-command', 'local'];

/**
 * A replica that hears nothing for a while and has thrown away what was on its way to it: without that, the kernel brings it
 * all that a primary on the same machine has sent, even after the death of that primary.
 */
export async function deafen(replicaUrl: string): Promise<void> {
  const commands = [
    ['CLIENT', 'KILL', 'TYPE', 'master'],
    ['DEBUG', 'SLEEP', String(DEAF_MS / 1_000)],
  ];
  void askRedis(replicaUrl, commands).catch(() => undefined);
  // Most of that time: it must still be deaf when the primary dies.
  await lasts(DEAF_MS * 0.6);
}

/** How much later than everybody else a replica may be on a busy machine, and how long an answer may be on its way. */
const LAG_MS = 2_000;
const ON_ITS_WAY_MS = 1_000;

/** What a replica that took over need not have: answers of the old primary from shortly before it was left. */
export function lostWhen(beganAt: number, leftAt: number): TimeSpan {
  return { from: beganAt - LAG_MS, until: leftAt + ON_ITS_WAY_MS };
}

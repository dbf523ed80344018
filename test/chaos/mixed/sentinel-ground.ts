import { askRedis } from '../../../scripts/redis/index.mjs';
import type { TestRedis } from '../../support/redis-server.js';
import { isFollowing, SentinelServers } from '../../support/topologies/sentinels.js';
import type { Bench } from '../harness/bench.js';
import { comesTrue, lasts, until } from '../harness/until.js';
import { REPLICATION_ARGS } from '../scenarios/replication.js';
import { DEAF_ARGS, deafen, groundsOf, lostWhen, type Blow, type Ground } from './ground.js';

/** Sentinel tells an old primary some 10 s after it was replaced. */
const TOLD_MS = 20_000;
/** A small run does not wait for that: it looks at the first second, and then tells it by hand. */
const SMALL_TOLD_MS = 1_000;
const LINK_MS = 30_000;

/** One primary with one replica, so that a receipt that a replica confirmed is on the one that will be promoted. */
export async function sentinelGround(bench: Bench): Promise<Ground> {
  const set = await SentinelServers.start(groundsOf(bench), {
    replicas: 1,
    sentinels: bench.isSmall ? 1 : 3,
    extraArgs: [...REPLICATION_ARGS, ...DEAF_ARGS, '--appendfsync', 'everysec'],
    isAppendOnly: true,
    failoverTimeoutMs: 2_000,
  });
  const url = async () => (await set.current()).url;
  bench.urlOf = url;
  return {
    connection: { options: set.connection },
    cutConnections: async () => askRedis(await url(), [['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']]),
    blows: {
      'sentinel-failover': () => failOver(bench, set),
      'primary-sigkill': () => killPrimary(bench, set),
    },
    lacking: [],
    durability: { replicas: 1, timeoutMs: 1_000 },
  };
}

/** As an operator asks for it. Nobody has told the old primary yet when the new one begins. */
async function failOver(bench: Bench, set: SentinelServers): Promise<Blow> {
  const old = await set.current();
  for (const replica of set.servers) if (replica !== old) await caughtUp(replica, old);
  const beganAt = Date.now();
  await set.beginFailOver();
  await set.switchedFrom(old);
  const blow = { mayLose: lostWhen(beganAt, Date.now()) };
  const isTold = await comesTrue(() => isFollowing(old.url), bench.isSmall ? SMALL_TOLD_MS : TOLD_MS);
  if (isTold) await caughtUp(old, await set.current());
  else await follow(old, set);
  return blow;
}

/** It dies while its replica lags. */
async function killPrimary(bench: Bench, set: SentinelServers): Promise<Blow> {
  const old = await set.current();
  const beganAt = Date.now();
  const replica = set.servers.find((server) => server !== old);
  await deafen(replica?.url ?? '');
  const killedAt = Date.now();
  await bench.killRedis(old);
  await set.switchedFrom(old);
  await lasts(bench.isSmall ? 200 : 2_000);
  await bench.reviveRedis(old);
  await follow(old, set);
  return { mayLose: lostWhen(beganAt, killedAt) };
}

async function follow(old: TestRedis, set: SentinelServers): Promise<void> {
  const primary = await set.current();
  await askRedis(old.url, [['REPLICAOF', '127.0.0.1', String(primary.port)]]);
  await until('the old primary to follow', () => isFollowing(old.url), LINK_MS);
  await caughtUp(old, primary);
}

/** A replica hears its primary before it has what came while it was sent all the data: on a busy machine that is seconds. */
async function caughtUp(replica: TestRedis, primary: TestRedis): Promise<void> {
  const wanted = await offsetIn(primary, 'master_repl_offset');
  const hasCome = async () => (await offsetIn(replica, 'slave_repl_offset')) >= wanted;
  await until('a replica to catch up', hasCome, LINK_MS);
}

async function offsetIn({ url }: TestRedis, name: string): Promise<number> {
  const [info] = await askRedis(url, [['INFO', 'replication']]);
  return Number(new RegExp(`${name}:(\\d+)`).exec(String(info))?.[1] ?? 0);
}

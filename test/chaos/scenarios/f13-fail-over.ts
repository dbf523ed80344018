import type { Bench } from '../harness/bench.js';
import type { ChaosProxy } from '../harness/chaos-proxy.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts, until } from '../harness/until.js';
import type { TestRedis } from '../../support/redis-server.js';
import { askRedis } from '../../../scripts/redis/index.mjs';
import { job } from './jobs.js';

const LINK_MS = 30_000;
const LAG_MS = 800;

async function isInStep(url: string): Promise<boolean> {
  const [info] = await askRedis(url, [['INFO', 'replication']]);
  return /master_link_status:up/.test(String(info));
}

interface Pair {
  primary: TestRedis;
  replica: TestRedis;
  /** The address that clients know; it leads to the primary. */
  readonly front: ChaosProxy;
  /** What the replica hears its primary through. */
  link: ChaosProxy;
}

async function startPair(bench: Bench): Promise<Pair> {
  const args = { extraArgs: ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'] };
  const primary = await bench.startRedis(args);
  const replica = await bench.anotherRedis(args);
  const link = await bench.startProxy(primary.port, true);
  await askRedis(replica.url, [['REPLICAOF', '127.0.0.1', String(link.port)]]);
  await until('the replica to be in step', () => isInStep(replica.url), LINK_MS);
  const front = await bench.startProxy(primary.port);
  bench.watchedUrl = front.url;
  return { primary, replica, front, link };
}

/** Swaps the two, without loss: the primary waits until the replica has everything. */
async function failOver(bench: Bench, pair: Pair): Promise<void> {
  const { primary, replica } = pair;
  const t = Date.now();
  await askRedis(primary.url, [['FAILOVER', 'TO', '127.0.0.1', String(replica.port), 'TIMEOUT', '10000']]);
  const isPrimary = async () => /role:master/.test(String((await askRedis(replica.url, [['INFO', 'replication']]))[0]));
  await until('the replica to take over', isPrimary, LINK_MS);
  [pair.primary, pair.replica] = [replica, primary];
  pair.front.targetPort = pair.primary.port;
  // As a virtual address does: what is connected to the old one is cut.
  pair.front.resetAll();
  bench.fault('failover', { t, until: Date.now() });
  await until('the old primary to follow', () => isInStep(pair.replica.url), LINK_MS);
}

/** A planned fail-over loses nothing. */
const planned: Scenario = {
  id: 'F13-planned',
  title: 'planned fail-over to a replica',
  tasks: 20_000,
  faults: 20,
  async run(bench) {
    const pair = await startPair(bench);
    // A replica announces its own port, so that FAILOVER finds it behind the proxy.
    await askRedis(pair.replica.url, [['CONFIG', 'SET', 'replica-announce-port', String(pair.replica.port)]]);
    await askRedis(pair.replica.url, [['REPLICAOF', '127.0.0.1', String(pair.primary.port)]]);
    await until('the replica to be in step', () => isInStep(pair.replica.url), LINK_MS);
    await bench.openProducer(pair.front.url);
    await bench.startFleet({ url: () => pair.front.url });
    const gapMs = bench.isSmall ? 800 : 3_000;
    const load = bench.load({ count: bench.taskCount, overMs: gapMs * bench.faultCount, job: (i) => job(i) });
    for (let i = 0; i < bench.faultCount; i += 1) {
      await lasts(gapMs);
      await failOver(bench, pair);
    }
    await load.done;
    bench.expected = { recoveryP99Ms: 5_000 };
  },
};

/** The primary dies 0.8 s after its replica stopped hearing it, and the replica takes its place. */
async function dieWhileLagging(bench: Bench, pair: Pair): Promise<void> {
  const { primary, replica } = pair;
  pair.link.flow = 'none';
  await lasts(LAG_MS);
  const t = Date.now();
  await bench.killRedis(primary);
  await askRedis(replica.url, [['REPLICAOF', 'NO', 'ONE']]);
  pair.front.targetPort = replica.port;
  pair.front.resetAll();
  bench.fault('failover', { t, until: Date.now() });
  [pair.primary, pair.replica] = [replica, primary];
}

/** What has died comes back and follows. */
async function pairUp(bench: Bench, pair: Pair): Promise<void> {
  pair.link.targetPort = pair.primary.port;
  pair.link.flow = 'both';
  await bench.reviveRedis(pair.replica);
  await askRedis(pair.replica.url, [['REPLICAOF', '127.0.0.1', String(pair.link.port)]]);
  await until('the replica to be in step', () => isInStep(pair.replica.url), LINK_MS);
}

/** The replica lags, the primary dies: what was confirmed by WAIT is there, the rest is counted. */
const unplanned: Scenario = {
  id: 'F13-unplanned',
  title: 'primary dies while its replica lags',
  tasks: 10_000,
  faults: 10,
  async run(bench) {
    const pair = await startPair(bench);
    await bench.openProducer(pair.front.url);
    await bench.startFleet({ url: () => pair.front.url });
    const gapMs = bench.isSmall ? 1_000 : 3_000;
    const load = bench.load({
      count: bench.taskCount,
      overMs: bench.faultCount * (gapMs + LAG_MS),
      job: (i) => ({ ...job(i), ...(i % 2 === 0 ? { options: { durability: { replicas: 1, timeoutMs: 500 } } } : {}) }),
    });
    let diedAt = 0;
    for (let i = 0; i < bench.faultCount; i += 1) {
      if (i > 0) await pairUp(bench, pair);
      await lasts(gapMs);
      await dieWhileLagging(bench, pair);
      diedAt = Date.now();
    }
    await load.cutShort();
    await bench.drained();
    const states = await bench.watch.states([...bench.producer.acked]);
    const lost = [...bench.producer.acked].filter((id) => !states.has(id));
    const confirmed = lost.filter((id) => bench.producer.sent.get(id)?.options?.durability !== undefined);
    bench.check('nothing that WAIT has confirmed is lost', confirmed.length === 0, confirmed.length);
    bench.note(`${lost.length} accepted tasks without WAIT were lost by Redis`);
    bench.expected = { lossForgivenBefore: diedAt, recoveryP99Ms: 5_000, areLeftoversMeant: true, isRewound: true };
  },
};

export const f13 = [planned, unplanned];

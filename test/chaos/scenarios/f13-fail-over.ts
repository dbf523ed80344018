import type { Bench } from '../harness/bench.js';
import type { ChaosProxy } from '../harness/chaos-proxy.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts, until } from '../harness/until.js';
import type { TestRedis } from '../../support/redis-server.js';
import { askRedis } from '../../../scripts/redis/index.mjs';
import { unplanned } from './f13-unplanned.js';
import { isInStep, LINK_MS, REPLICATION_ARGS } from './replication.js';
import { job } from './jobs.js';

interface Pair {
  primary: TestRedis;
  replica: TestRedis;
  /** The address that clients know; it leads to the primary. */
  readonly front: ChaosProxy;
}

async function startPair(bench: Bench): Promise<Pair> {
  const args = { extraArgs: REPLICATION_ARGS };
  const primary = await bench.startRedis(args);
  const replica = await bench.anotherRedis(args);
  await askRedis(replica.url, [['REPLICAOF', '127.0.0.1', String(primary.port)]]);
  await until('the replica to be in step', () => isInStep(replica.url), LINK_MS);
  const front = await bench.startProxy(primary.port);
  bench.urlOf = () => front.url;
  return { primary, replica, front };
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

export const f13 = [planned, unplanned];

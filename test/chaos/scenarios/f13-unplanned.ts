import type { Bench } from '../harness/bench.js';
import type { ChaosProxy } from '../harness/chaos-proxy.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts, until } from '../harness/until.js';
import type { TestRedis } from '../../support/redis-server.js';
import { askRedis } from '../../../scripts/redis/index.mjs';
import { isInStep, LINK_MS, REPLICATION_ARGS } from './replication.js';
import { job } from './jobs.js';

const LAG_MS = 800;

interface Member {
  readonly redis: TestRedis;
  /** What it hears the one before it through. */
  readonly link: ChaosProxy;
}

/**
 * A primary, its replica, and a replica of that one. The last one makes a false confirmation possible: whoever asks the new
 * primary how many replicas have what it wrote to the old one is answered 1.
 */
interface Chain {
  readonly members: [Member, Member, Member];
  /** The address that clients know; it leads to the primary. */
  readonly front: ChaosProxy;
}

async function follow({ redis, link }: Member, upstream: Member): Promise<void> {
  link.targetPort = upstream.redis.port;
  link.flow = 'both';
  await askRedis(redis.url, [['REPLICAOF', '127.0.0.1', String(link.port)]]);
}

async function areInStep({ members: [, replica, last] }: Chain): Promise<void> {
  const both = async () => (await isInStep(replica.redis.url)) && (await isInStep(last.redis.url));
  await until('the replicas to be in step', both, LINK_MS);
}

async function startChain(bench: Bench): Promise<Chain> {
  const options = { extraArgs: REPLICATION_ARGS };
  const start = async (redis: TestRedis): Promise<Member> => ({
    redis,
    link: await bench.startProxy(redis.port, true),
  });
  const primary = await start(await bench.startRedis(options));
  const replica = await start(await bench.anotherRedis(options));
  const last = await start(await bench.anotherRedis(options));
  const chain: Chain = { members: [primary, replica, last], front: await bench.startProxy(primary.redis.port) };
  await follow(replica, primary);
  await follow(last, replica);
  await areInStep(chain);
  bench.urlOf = () => chain.front.url;
  return chain;
}

/** The primary dies 0.8 s after its replica stopped hearing it, and the replica takes its place. */
async function dieWhileLagging(bench: Bench, { members, front }: Chain): Promise<void> {
  const [primary, replica, last] = members;
  replica.link.flow = 'none';
  await lasts(LAG_MS);
  const t = Date.now();
  await bench.killRedis(primary.redis);
  await askRedis(replica.redis.url, [['REPLICAOF', 'NO', 'ONE']]);
  front.targetPort = replica.redis.port;
  front.resetAll();
  bench.fault('failover', { t, until: Date.now() });
  members.splice(0, 3, replica, last, primary);
}

/** What has died comes back and follows the last one. */
async function comeBack(bench: Bench, chain: Chain): Promise<void> {
  const [, replica, back] = chain.members;
  await bench.reviveRedis(back.redis);
  await follow(back, replica);
  await areInStep(chain);
}

/** The replica lags, the primary dies: what was confirmed by WAIT is there, the rest is counted. */
export const unplanned: Scenario = {
  id: 'F13-unplanned',
  title: 'primary dies while its replicas lag',
  tasks: 10_000,
  faults: 10,
  async run(bench) {
    const chain = await startChain(bench);
    await bench.openProducer(chain.front.url);
    await bench.startFleet({ url: () => chain.front.url });
    const gapMs = bench.isSmall ? 1_000 : 3_000;
    const load = bench.load({
      count: bench.taskCount,
      overMs: bench.faultCount * (gapMs + LAG_MS),
      job: (i) => ({ ...job(i), ...(i % 2 === 0 ? { options: { durability: { replicas: 1, timeoutMs: 500 } } } : {}) }),
    });
    let diedAt = 0;
    for (let i = 0; i < bench.faultCount; i += 1) {
      if (i > 0) await comeBack(bench, chain);
      await lasts(gapMs);
      await dieWhileLagging(bench, chain);
      diedAt = Date.now();
    }
    await load.cutShort();
    await bench.drained();
    const states = await bench.watch.states([...bench.producer.acked]);
    const lost = [...bench.producer.acked].filter((id) => !states.has(id));
    const confirmed = lost.filter((id) => bench.producer.sent.get(id)?.options?.durability !== undefined);
    bench.check('nothing that WAIT has confirmed is lost', confirmed.length === 0, confirmed.length);
    bench.note(`${lost.length} accepted tasks without WAIT were lost by Redis`);
    bench.expected = {
      // Only what asked for no confirmation.
      lossForgiven: new Set(lost.filter((id) => !confirmed.includes(id))),
      lossForgivenBefore: diedAt,
      recoveryP99Ms: 5_000,
      areLeftoversMeant: true,
      isRewound: true,
    };
  },
};

import type { Scenario } from '../harness/scenario.js';
import { comesTrue } from '../harness/until.js';
import { job } from './jobs.js';

const ENQUEUE_MS = 1_500;
const RSS_MIB = 60;

/** Redis is gone: enqueuing answers within its deadline, keeps nothing in memory, and tells the truth. */
export const f32: Scenario = {
  id: 'F32',
  title: 'enqueue while Redis is down',
  tasks: 1_000,
  faults: 1,
  async run(bench) {
    await bench.startRedis({ appendOnly: true });
    await bench.openProducer(bench.redis.url, { enqueueTimeoutMs: ENQUEUE_MS });
    await bench.producer.send(job(0, {}, 'before'));
    await bench.killRedis();
    const t = Date.now();
    const rss = process.memoryUsage().rss;
    const sent = Array.from({ length: bench.taskCount }, (_, i) => bench.producer.send(job(i), false));
    let answered = 0;
    for (const one of sent) void one.then(() => (answered += 1));
    await comesTrue(() => answered === sent.length, 2 * ENQUEUE_MS + 1_000);
    const taken = bench.producer.acked.size - 1;
    const tookMs = Date.now() - t;
    bench.check('nothing is taken while Redis is down', taken === 0, taken);
    const inTime = answered === sent.length && tookMs <= ENQUEUE_MS + 1_000;
    bench.check(`all answer within ${ENQUEUE_MS + 1_000} ms`, inTime, `${answered} in ${tookMs} ms`);
    const grownMiB = Math.round((process.memoryUsage().rss - rss) / 1_048_576);
    bench.check(`memory grows by at most ${RSS_MIB} MiB`, grownMiB <= RSS_MIB, `${grownMiB} MiB`);
    await bench.reviveRedis();
    bench.fault('redis-down', { t, until: Date.now() });
    await bench.startFleet({ isOneEnough: true });
    await bench.producer.send(job(0, {}, 'after'));
    await bench.drained();
    const surely = [...bench.producer.refused].filter(([, error]) => error !== 'EnqueueUncertainError');
    const states = await bench.watch.states(surely.map(([id]) => id));
    bench.check('what was refused was not added', states.size === 0, states.size);
    bench.note(`${surely.length} refused for sure, ${bench.producer.refused.size - surely.length} uncertain`);
  },
};

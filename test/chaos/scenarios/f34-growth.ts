import type { Scenario } from '../harness/scenario.js';
import { job } from './jobs.js';

const GROWTH_MIB = 3;

/** Many tasks leave nothing behind once their records have expired. */
export const f34: Scenario = {
  id: 'F34',
  title: 'memory after many tasks',
  tasks: 200_000,
  faults: 0,
  async run(bench) {
    await bench.startRedis();
    const retention = { completedMs: 100 };
    await bench.openProducer(bench.redis.url, { retention });
    await bench.startFleet({ isOneEnough: true, options: { retention, concurrency: 50 } });
    const before = await bench.watch.usedMemory();
    await bench.load({ count: bench.taskCount, overMs: 0, job: (i) => job(i, { ms: 0 }) }).done;
    await bench.drained();
    const isSmallAgain = async () => (await bench.watch.usedMemory()) - before <= GROWTH_MIB * 1_048_576;
    let grown = 0;
    const deadline = Date.now() + 60_000;
    while (!(await isSmallAgain()) && Date.now() < deadline) await bench.drained(100);
    grown = Math.round(((await bench.watch.usedMemory()) - before) / 1_048_576);
    bench.check(`Redis holds at most ${GROWTH_MIB} MiB more`, grown <= GROWTH_MIB, `${grown} MiB`);
    bench.expected = { rawEffects: 1, handouts: 1 };
  },
};

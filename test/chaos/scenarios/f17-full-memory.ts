import type { Bench } from '../harness/bench.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job } from './jobs.js';

/** Some less than is used, so that what the workers free meanwhile makes no room. */
const FULL = 0.9;

/** Memory is full for a while: the producer is told, the workers go on, nobody pays with an attempt. */
async function fillUp(bench: Bench, ms: number): Promise<void> {
  const t = Date.now();
  const most = Math.floor((await bench.watch.usedMemory()) * FULL);
  await bench.watch.ask(['CONFIG', 'SET', 'maxmemory', String(most)]);
  await lasts(ms);
  await bench.watch.ask(['CONFIG', 'SET', 'maxmemory', '0']);
  bench.fault('redis-full', { t, until: Date.now() });
}

export const f17: Scenario = {
  id: 'F17',
  title: 'memory of Redis full',
  tasks: 20_000,
  faults: 10,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ isOneEnough: true });
    const fullMs = bench.isSmall ? 800 : 10_000;
    const gapMs = bench.isSmall ? 500 : 2_000;
    const overMs = bench.faultCount * (fullMs + gapMs);
    const load = bench.load({
      count: bench.taskCount,
      overMs,
      // A tenth fails once, so that retries are written in a full Redis too.
      job: (i) => job(i, { ms: 20, failures: i % 10 === 0 ? 1 : 0 }),
      persists: false,
    });
    for (let i = 0; i < bench.faultCount; i += 1) {
      await lasts(gapMs);
      await fillUp(bench, fullMs);
    }
    await load.done;
    const { refused } = bench.producer;
    const odd = [...refused.values()].find((error) => error !== 'QueueFullError');
    bench.check('a full Redis refuses with QueueFullError', odd === undefined, odd);
    bench.check('the producer was refused at all', refused.size > 0);
    await bench.drained();
    const states = await bench.watch.states([...refused.keys()]);
    bench.check('a refused task was not added', states.size === 0, states.size);
    bench.note(`${refused.size} enqueues were refused with QueueFullError`);
    bench.expected = { attempts: 2, handouts: 1, rawEffects: 1 };
  },
};

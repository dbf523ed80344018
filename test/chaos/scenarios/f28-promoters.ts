import type { Scenario } from '../harness/scenario.js';
import { lasts, until } from '../harness/until.js';
import { job, victims } from './jobs.js';

const EARLY_MS = 5;

/** Delayed tasks become due while the promoters, and Redis itself, are killed: each comes once, and none early. */
export const f28: Scenario = {
  id: 'F28',
  title: 'promoters and Redis killed while tasks become due',
  tasks: 10_000,
  faults: 100,
  async run(bench) {
    await bench.startRedis({ appendOnly: true, extraArgs: ['--appendfsync', 'always'] });
    await bench.openProducer();
    await bench.startFleet();
    const gapMs = bench.isSmall ? 800 : 1_000;
    const plan = victims(bench);
    const windowMs = gapMs * (plan.length + 1);
    const delays = bench.random.times(bench.taskCount, (random) => random.between(50, windowMs));
    const load = bench.load({
      count: delays.length,
      overMs: 0,
      job: (i) => ({ ...job(i, { ms: 0 }), options: { delayMs: delays[i] ?? 0 } }),
    });
    for (const [n, slot] of plan.entries()) {
      await lasts(gapMs);
      if (n % 2 === 1) await bench.crashRedis();
      else bench.fault('worker-sigkill', { victim: await bench.fleet.kill(slot) });
    }
    await load.done;
    await until('an empty queue', () => bench.watch.isDrained(), 60_000);
    const added = await bench.watch.entriesAdded();
    bench.check('each due task comes into the stream once', added === delays.length, added);
    bench.expected = {
      earliestStartMs: (id) => (delays[Number(id.slice('job-'.length))] ?? 0) - EARLY_MS,
    };
  },
};

import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job, victims } from './jobs.js';

/** Several workers under one consumer name: Redis takes them for one, and the fence still tells them apart. */
export const f09: Scenario = {
  id: 'F9',
  title: 'workers that share a consumer name',
  tasks: 10_000,
  faults: 20,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ count: bench.isSmall ? 2 : 3, settings: { sharedName: 'worker-1' } });
    const plan = victims(bench);
    const gapMs = 1_000;
    const load = bench.load({ count: bench.taskCount, overMs: plan.length * gapMs, job: (i) => job(i, { ms: 60 }) });
    for (const slot of plan) {
      await lasts(gapMs);
      await bench.fleet.ready();
      bench.fault('worker-sigkill', { victim: await bench.fleet.kill(slot) });
    }
    await load.done;
  },
};

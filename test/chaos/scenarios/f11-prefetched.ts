import type { Scenario } from '../harness/scenario.js';
import { job } from './jobs.js';

/** One slot, and tasks that take nearly a lease: what waits is not fetched, and nothing is handed out twice. */
export const f11: Scenario = {
  id: 'F11',
  title: 'long tasks behind one slot',
  tasks: 40,
  faults: 0,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ options: { concurrency: 1 } });
    const count = bench.scaled(40, 4);
    await bench.load({ count, overMs: 0, job: (i) => job(i, { ms: bench.leaseMs * 0.9 }) }).done;
    await bench.drained(count * bench.leaseMs);
    bench.expected = { handouts: 1, rawEffects: 1 };
  },
};

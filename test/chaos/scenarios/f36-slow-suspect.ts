import type { Scenario } from '../harness/scenario.js';
import { everyNth, job } from './jobs.js';

const SUSPECT_MS = 12_000;

/** A task was with two workers that died, and takes long the third time: nobody else waits for its end. */
export const f36: Scenario = {
  id: 'F36',
  title: 'a suspect that takes long',
  tasks: 4_000,
  faults: 4,
  isVariant: true,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ areEndsMeant: true, count: 2 });
    const suspects = everyNth(bench.taskCount, bench.isSmall ? 1 : 4);
    await bench.load({
      count: bench.taskCount,
      overMs: bench.isSmall ? 10_000 : 60_000,
      job: (i) => job(i, suspects.has(i) ? { act: 'sigkill', deaths: 2, ms: SUSPECT_MS } : {}),
    }).done;
    await bench.drained();
    const deaths = bench.fleet.exits.length;
    for (let i = 0; i < deaths; i += 1) bench.fault('killed-by-task');
    bench.expected = { maxStartDelayMs: SUSPECT_MS / 2 };
  },
};

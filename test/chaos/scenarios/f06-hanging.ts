import type { Scenario } from '../harness/scenario.js';
import { idsOf, job } from './jobs.js';

/** Handlers that never settle: their time runs out, their slot is free again, and after their attempts they are dead. */
export const f06: Scenario = {
  id: 'F6',
  title: 'handlers that hang',
  tasks: 10_000,
  faults: 500,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ isOneEnough: true, options: { timeoutMs: 500 } });
    const { taskCount } = bench;
    const hangs = (i: number) => i % 20 === 7;
    await bench.load({
      count: taskCount,
      overMs: bench.isSmall ? 1_000 : 60_000,
      job: (i) => job(i, hangs(i) ? { act: 'hang' } : {}),
    }).done;
    const dead = idsOf(taskCount, hangs);
    for (let i = 0; i < dead.size; i += 1) bench.fault('hanging-handler');
    bench.expected = { dead, deadReasons: ['timeout'], handouts: 1, rawEffects: 1 };
    await bench.drained();
  },
};

import type { Scenario } from '../harness/scenario.js';
import { comesTrue } from '../harness/until.js';
import { job } from './jobs.js';

/** A Redis that may throw tasks away is no place for tasks: whoever starts a worker on it must be told. */
export const f18: Scenario = {
  id: 'F18',
  title: 'server that evicts keys',
  tasks: 200,
  faults: 1,
  async run(bench) {
    await bench.startRedis({ extraArgs: ['--maxmemory-policy', 'allkeys-lru', '--maxmemory', '10mb'] });
    await bench.openProducer();
    const fleet = await bench.startFleet({ count: 1, areEndsMeant: true });
    bench.fault('eviction-allowed');
    const isTold = await comesTrue(
      () => /evict|allkeys-lru|noeviction/i.test(fleet.all.map(({ log }) => log).join('\n')),
      5_000,
    );
    bench.check('a worker warns of, or refuses, a server that evicts', isTold);
    await bench.load({ count: bench.taskCount, overMs: 200, job: (i) => job(i) }).done;
    bench.expected = { dead: 'any' };
  },
};

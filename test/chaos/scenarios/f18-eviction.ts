import type { Scenario } from '../harness/scenario.js';
import { comesTrue } from '../harness/until.js';
import { job } from './jobs.js';

/** A Redis that may throw tasks away is no place for tasks: nobody starts on it unless told to, and then with a warning. */
export const f18: Scenario = {
  id: 'F18',
  title: 'server that evicts keys',
  tasks: 200,
  faults: 1,
  async run(bench) {
    await bench.startRedis({ extraArgs: ['--maxmemory-policy', 'allkeys-lru', '--maxmemory', '10mb'] });
    bench.fault('eviction-allowed');
    const refusal: unknown = await bench.openProducer().catch((error: unknown) => error);
    bench.check(
      'the boot fails, and one line names the policy and the command that mends it',
      refusal instanceof Error && /allkeys-lru.*CONFIG SET maxmemory-policy noeviction/.test(refusal.message),
      String(refusal),
    );
    const forced = { allowEviction: true };
    await bench.openProducer(bench.redis.url, forced);
    const fleet = await bench.startFleet({ count: 1, options: forced });
    const isTold = await comesTrue(
      () => fleet.all.some(({ log }) => /WARN.*allkeys-lru.*noeviction/.test(log)),
      15_000,
    );
    bench.check('a worker that is told to start all the same warns', isTold);
    await bench.load({ count: bench.taskCount, overMs: 200, job: (i) => job(i) }).done;
    bench.expected = { dead: 'any' };
  },
};

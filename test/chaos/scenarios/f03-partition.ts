import type { ChaosProxy } from '../harness/chaos-proxy.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job, victims } from './jobs.js';

/** One worker and Redis cannot hear each other, and nobody tells them; or only one of them hears the other. */
export const f03: Scenario = {
  id: 'F3',
  title: 'worker and Redis partitioned',
  tasks: 20_000,
  faults: 30,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const proxies: ChaosProxy[] = [];
    for (let slot = 0; slot < (bench.isSmall ? 2 : 4); slot += 1) proxies.push(await bench.startProxy());
    await bench.startFleet({ url: (slot) => proxies[slot]?.url ?? '' });
    const flows = bench.random.times(bench.faultCount, (random) => random.pick(['none', 'up', 'down'] as const));
    const plan = victims(bench);
    const cutMs = 3 * bench.leaseMs;
    const gapMs = bench.isSmall ? 500 : 1_200;
    const load = bench.load({
      count: bench.taskCount,
      overMs: plan.length * (cutMs + gapMs),
      job: (i) => job(i, { ms: 50 + (i % 10) * 30 }),
    });
    for (const [n, slot] of plan.entries()) {
      const proxy = proxies[slot];
      if (!proxy) continue;
      proxy.flow = flows[n] ?? 'none';
      bench.fault('partition', { victim: bench.fleet.at(slot).pid });
      await lasts(cutMs);
      proxy.heal();
      await lasts(gapMs);
    }
    await load.done;
    bench.expected = { makesZombies: true };
  },
};

import type { Scenario } from '../harness/scenario.js';
import { comesTrue, lasts } from '../harness/until.js';
import { job, victims } from './jobs.js';

const SPARE = 10;

/** Every worker that was killed leaves its consumer behind: they must not pile up, and none may go with tasks in it. */
export const f10: Scenario = {
  id: 'F10',
  title: 'consumers of dead workers',
  tasks: 5_000,
  faults: 500,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet();
    const plan = victims(bench, bench.isSmall ? 2 : bench.faultCount);
    const gapMs = bench.isSmall ? 300 : 350;
    const load = bench.load({ count: bench.taskCount, overMs: plan.length * gapMs, job: (i) => job(i) });
    for (const slot of plan) {
      await lasts(gapMs);
      await bench.fleet.ready();
      bench.fault('worker-sigkill', { victim: await bench.fleet.kill(slot) });
    }
    await load.done;
    await bench.fleet.ready();
    await bench.drained();
    const most = bench.fleet.size + SPARE;
    const isTidy = await comesTrue(async () => (await bench.watch.consumers()).length <= most, 10_000);
    bench.check(`at most ${most} consumers are left`, isTidy, (await bench.watch.consumers()).length);
  },
};

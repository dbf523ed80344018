import type { Bench } from '../harness/bench.js';
import type { Scenario } from '../harness/scenario.js';
import { comesTrue, lasts } from '../harness/until.js';
import { job, victims } from './jobs.js';

/** Consumers of processes that are no more. Their names have the process id before the last part. */
async function ghosts(bench: Bench): Promise<number> {
  const living = new Set(bench.fleet.current.map(({ pid }) => String(pid)));
  const names = (await bench.watch.consumers()).map(({ name }) => name);
  return names.filter((name) => !living.has(name.split(':').at(-2) ?? '')).length;
}

/** Every worker that was killed leaves its consumer behind: they must not pile up, and none may go with tasks in it. */
export const f10: Scenario = {
  id: 'F10',
  title: 'consumers of dead workers',
  tasks: 5_000,
  faults: 500,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const consumerTtlMs = 2 * bench.leaseMs;
    await bench.startFleet({ options: { timing: { consumerTtlMs } } });
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
    const areGone = await comesTrue(async () => (await ghosts(bench)) === 0, 5 * consumerTtlMs);
    bench.check('no consumer of a dead worker is left', areGone, await ghosts(bench));
  },
};

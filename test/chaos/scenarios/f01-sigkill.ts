import path from 'node:path';
import { stopAtWork } from '../harness/at-work.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job, victims } from './jobs.js';

/** A random worker is killed again and again, in the middle of what it does. */
export const f01: Scenario = {
  id: 'F1',
  title: 'SIGKILL in mid-task',
  tasks: 100_000,
  faults: 200,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const fleet = await bench.startFleet({ settings: { effectsDir: path.join(bench.dir, 'effects') } });
    const gapMs = bench.isSmall ? 1_000 : 1_200;
    const plan = victims(bench);
    const perKill = Math.ceil(bench.taskCount / plan.length);
    let hits = 0;
    for (const [round, slot] of plan.entries()) {
      await fleet.ready();
      // Tasks come as long as workers are killed, however long they take to start again.
      const first = round * perKill;
      const count = Math.min(perKill, bench.taskCount - first);
      const load = bench.load({ count, overMs: gapMs, job: (i) => job(first + i) });
      await lasts(gapMs / 2);
      if (await stopAtWork(bench, slot)) hits += 1;
      bench.fault('worker-sigkill', { victim: await fleet.kill(slot) });
      await load.done;
    }
    bench.check('a worker is killed while it is at work', hits > 0);
    bench.note(`${hits} of ${plan.length} kills met a worker with tasks in its hands`);
    bench.expected = {
      hasUniqueEffects: true,
      recoveryP99Ms: bench.takeOverMs,
      // A kill each few seconds may meet the same task three times, which is when it is taken for what kills them.
      dead: 'any',
      deadReasons: ['crash-limit'],
      diesOfKillsOnly: true,
    };
  },
};

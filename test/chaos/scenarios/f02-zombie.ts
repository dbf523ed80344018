import path from 'node:path';
import { stopAtWork } from '../harness/at-work.js';
import type { Bench } from '../harness/bench.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { everyNth, job, victims } from './jobs.js';

/** Stops a worker for longer than its leases last, and lets it go on as if nothing had happened. */
async function stopForAWhile(bench: Bench, slot: number, ms: number): Promise<void> {
  const worker = bench.fleet.at(slot);
  await stopAtWork(bench, slot);
  const t = Date.now();
  await lasts(ms);
  worker.signal('SIGCONT');
  bench.fault('worker-sigstop', { t, victim: worker.pid, until: Date.now() });
}

/** Whoever lost its lease without knowing must not settle: by SIGSTOP, and by handlers that block the event loop. */
export const f02: Scenario = {
  id: 'F2',
  title: 'zombies: SIGSTOP, blocked event loop',
  tasks: 20_000,
  faults: 50,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    // One may be stopped and one may spin, and still somebody is there to take over.
    await bench.startFleet({
      count: bench.isSmall ? 3 : 4,
      settings: { effectsDir: path.join(bench.dir, 'effects') },
    });
    const stallMs = 3 * bench.leaseMs;
    const spinners = everyNth(bench.taskCount, bench.scaled(40));
    const plan = victims(bench);
    const load = bench.load({
      count: bench.taskCount,
      overMs: plan.length * (stallMs + 500) + 500,
      job: (i) =>
        // Long enough that whoever is stopped has something in its hands.
        job(i, { ms: 50 + (i % 10) * 30, ...(spinners.has(i) ? { act: 'spin', actMs: stallMs } : {}) }),
    });
    for (const slot of plan) {
      await lasts(500);
      await bench.fleet.ready();
      await stopForAWhile(bench, slot, stallMs);
    }
    await load.done;
    for (let i = 0; i < spinners.size; i += 1) bench.fault('blocked-loop');
    bench.expected = { hasUniqueEffects: true, makesZombies: true };
  },
};

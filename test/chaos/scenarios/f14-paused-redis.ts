import type { Bench } from '../harness/bench.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job } from './jobs.js';

type Pause = 'redis-sigstop' | 'redis-debug-sleep' | 'redis-client-pause';
const KINDS: readonly Pause[] = ['redis-sigstop', 'redis-debug-sleep', 'redis-client-pause'];

async function pauseRedis(bench: Bench, kind: Pause, ms: number): Promise<void> {
  const t = Date.now();
  switch (kind) {
    case 'redis-sigstop':
      await bench.redis.kill('SIGSTOP');
      await lasts(ms);
      await bench.redis.kill('SIGCONT');
      break;
    case 'redis-debug-sleep':
      await bench.watch.ask(['DEBUG', 'SLEEP', String(ms / 1_000)]);
      break;
    case 'redis-client-pause':
      await bench.watch.ask(['CLIENT', 'PAUSE', String(ms), 'ALL']);
      await lasts(ms);
  }
  bench.fault(kind, { t, until: Date.now() });
}

/** Redis stands still for longer than a lease: everybody looks dead, and nobody is. */
export const f14: Scenario = {
  id: 'F14',
  title: 'Redis paused for one to three leases',
  tasks: 20_000,
  faults: 30,
  async run(bench) {
    await bench.startRedis({ extraArgs: ['--enable-debug-command', 'local'] });
    await bench.openProducer();
    await bench.startFleet();
    const plan = bench.random.times(bench.faultCount, (random, i) => ({
      kind: KINDS[i % KINDS.length] ?? 'redis-sigstop',
      ms: Math.round(bench.leaseMs * (1 + 2 * random.next())),
    }));
    const gapMs = bench.isSmall ? 500 : 1_200;
    const overMs = plan.reduce((sum, { ms }) => sum + ms + gapMs, gapMs);
    const load = bench.load({ count: bench.taskCount, overMs, job: (i) => job(i) });
    for (const { kind, ms } of plan) {
      await lasts(gapMs);
      await pauseRedis(bench, kind, ms);
    }
    await load.done;
    // After a silence nobody's task is reclaimed, so nothing runs twice.
    bench.expected = { rawEffects: 1 };
  },
};

import path from 'node:path';
import type { Bench } from '../harness/bench.js';
import type { Job } from '../harness/producer.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { KEYED_TASK } from '../worker/settings.js';
import { job, victims } from './jobs.js';

/** How many tasks have the same key, and come at once. */
const SAME_KEY = 4;
const KINDS = ['worker-sigkill', 'redis-sigstop', 'redis-down'] as const;

type Fault = (typeof KINDS)[number];

/** Four tasks of one key, which half of the keys get from their sender and half from their handler. */
function keyed(bench: Bench, i: number): Job {
  const n = Math.floor(i / SAME_KEY);
  const key = `key-${n}`;
  // Every third takes longer than its lease, so that whatever stops the lease or Redis meets one at work.
  const ms = n % 3 === 0 ? Math.round(bench.leaseMs * 1.5) : 20 + (n % 7) * 20;
  const byHandler = n % 2 === 0;
  return {
    ...job(i, { key, ms, looksFirst: true }),
    ...(byHandler ? { task: KEYED_TASK } : { options: { idempotencyKey: key } }),
  };
}

async function strike(bench: Bench, kind: Fault, slot: number): Promise<void> {
  if (kind === 'worker-sigkill') {
    await bench.fleet.ready();
    return bench.fault(kind, { victim: await bench.fleet.kill(slot) });
  }
  const t = Date.now();
  const ms = bench.leaseMs * 1.25;
  if (kind === 'redis-sigstop') await bench.redis.kill('SIGSTOP');
  else await bench.killRedis();
  await lasts(ms);
  if (kind === 'redis-sigstop') await bench.redis.kill('SIGCONT');
  else await bench.reviveRedis();
  bench.fault(kind, { t, until: Date.now() });
}

/** Tasks of one key run one after the other, whatever stops: an effect that only the lock protects is made once. */
export const f35: Scenario = {
  id: 'F35',
  title: 'tasks of one key at once',
  tasks: 12_000,
  faults: 60,
  async run(bench) {
    await bench.startRedis({ appendOnly: true, extraArgs: ['--appendfsync', 'always'] });
    await bench.openProducer();
    await bench.startFleet({ settings: { effectsDir: path.join(bench.dir, 'effects') }, options: { concurrency: 20 } });
    const plan = victims(bench, bench.isSmall ? 3 : bench.faultCount);
    const gapMs = bench.isSmall ? 700 : 2_000;
    const load = bench.load({
      count: bench.isSmall ? 120 : bench.taskCount,
      overMs: plan.length * (gapMs + bench.leaseMs),
      job: (i) => keyed(bench, i),
    });
    for (const [n, slot] of plan.entries()) {
      await lasts(gapMs);
      // A build without locks must be caught without any help.
      if (!bench.scenario.control) await strike(bench, KINDS[(n + 1) % KINDS.length] ?? 'redis-down', slot);
    }
    await load.done;
    await bench.drained();
    bench.expected = { hasUniqueEffects: true, dead: 'any', deadReasons: ['crash-limit'], diesOfKillsOnly: true };
  },
};

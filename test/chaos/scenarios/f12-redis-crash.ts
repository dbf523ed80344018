import type { Bench } from '../harness/bench.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job } from './jobs.js';

type Fsync = 'always' | 'everysec' | 'none';

async function crashUnderLoad(bench: Bench, fsync: Fsync): Promise<void> {
  const args = fsync === 'none' ? {} : { appendOnly: true, extraArgs: ['--appendfsync', fsync] };
  await bench.startRedis(args);
  await bench.openProducer();
  await bench.startFleet({ isOneEnough: true });
  const gapMs = bench.isSmall ? 1_000 : 2_000;
  const load = bench.load({ count: bench.taskCount, overMs: gapMs * (bench.faultCount + 1), job: (i) => job(i) });
  let lastCrashAt = 0;
  for (let i = 0; i < bench.faultCount; i += 1) {
    await lasts(gapMs);
    await bench.crashRedis();
    lastCrashAt = Date.now();
  }
  await load.done;
  bench.expected = {
    // A killed process loses nothing it has written to its file; without a file it loses everything.
    ...(fsync === 'none' ? { lossForgivenBefore: lastCrashAt } : {}),
    recoveryP99Ms: 3_000,
  };
}

const crash = (id: string, fsync: Fsync): Scenario => ({
  id,
  title: `Redis killed, ${fsync === 'none' ? 'no append-only file' : `fsync ${fsync}`}`,
  tasks: 33_000,
  faults: 30,
  isVariant: fsync === 'everysec',
  run: (bench) => crashUnderLoad(bench, fsync),
});

/** kill -9 of Redis. It is not power loss: what was written survives in the cache of the kernel. */
export const f12 = [crash('F12-always', 'always'), crash('F12-everysec', 'everysec'), crash('F12-none', 'none')];

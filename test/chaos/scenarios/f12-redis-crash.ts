import type { Bench } from '../harness/bench.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job } from './jobs.js';
import { PUT_OFF_MS, tellLosses, type LostWindow } from './lost-window.js';

type Fsync = 'always' | 'everysec' | 'none';

async function crashUnderLoad(bench: Bench, fsync: Fsync): Promise<void> {
  const args = fsync === 'none' ? {} : { appendOnly: true, extraArgs: ['--appendfsync', fsync] };
  await bench.startRedis(args);
  await bench.openProducer();
  await bench.startFleet({ isOneEnough: true });
  // Between two crashes there is time that no crash may undo.
  const gapMs = (bench.isSmall ? 1_000 : 2_000) + (fsync === 'everysec' ? PUT_OFF_MS : 0);
  const load = bench.load({ count: bench.taskCount, overMs: gapMs * (bench.faultCount + 1), job: (i) => job(i) });
  const windows: LostWindow[] = [];
  for (let i = 0; i < bench.faultCount; i += 1) {
    await lasts(gapMs);
    const from = Date.now() - PUT_OFF_MS;
    await bench.crashRedis();
    windows.push({ from, until: Date.now() });
  }
  await load.done;
  const lastCrashAt = windows.at(-1)?.until ?? 0;
  if (fsync === 'everysec') {
    await bench.drained();
    await tellLosses(bench, windows);
  }
  bench.expected = {
    // A killed process loses nothing it has written to its file; without a file it loses everything, and with fsync every
    // second what it had put off.
    ...(fsync === 'always' ? {} : { lossForgivenBefore: lastCrashAt }),
    isRewound: fsync === 'everysec',
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

import { appendFile, readdir, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import type { Bench } from '../harness/bench.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job } from './jobs.js';
import { PUT_OFF_MS, tellLosses, type LostWindow } from './lost-window.js';

/** What `appendfsync everysec` may lose: all since the last fsync. */
const LOST_MS = 1_000;
const LOOK_MS = 20;
/** What an interrupted write leaves at the end of the file. */
const TORN_COMMAND = '*3\r\n$3\r\nSET\r\n$4\r\nto';

/** The file Redis appends its commands to. */
async function appendOnlyFile(bench: Bench): Promise<string> {
  const dir = path.join(bench.redis.dir, 'appendonlydir');
  const names = (await readdir(dir)).filter((name) => name.endsWith('.incr.aof'));
  return path.join(dir, names.sort().at(-1) ?? 'missing');
}

/** Looks at the file for as long as a disk may be behind, and answers how long it was when that began. */
async function lengthBefore(file: string, ms: number): Promise<{ readonly bytes: number; readonly at: number }> {
  const before = { at: Date.now(), bytes: (await stat(file)).size };
  await lasts(ms);
  return before;
}

/** Takes away what the disk did not have yet. */
async function losePower(bench: Bench, fsync: 'always' | 'everysec'): Promise<LostWindow> {
  const file = await appendOnlyFile(bench);
  const { bytes, at } = await lengthBefore(file, fsync === 'everysec' ? LOST_MS : LOOK_MS);
  await bench.crashRedis(async () => {
    if (fsync === 'everysec') await truncate(file, bytes);
    else await appendFile(file, TORN_COMMAND);
  });
  return { from: fsync === 'everysec' ? at - PUT_OFF_MS : at, until: Date.now() };
}

async function losePowerUnderLoad(bench: Bench, fsync: 'always' | 'everysec'): Promise<void> {
  await bench.startRedis({
    appendOnly: true,
    extraArgs: ['--appendfsync', fsync, '--auto-aof-rewrite-percentage', '0', '--aof-load-truncated', 'yes'],
  });
  await bench.openProducer();
  await bench.startFleet({ isOneEnough: true });
  const gapMs = LOST_MS + 500;
  const load = bench.load({
    count: bench.taskCount,
    overMs: (gapMs + LOST_MS) * (bench.faultCount + 1),
    job: (i) => job(i),
  });
  const windows: LostWindow[] = [];
  for (let i = 0; i < bench.faultCount; i += 1) {
    await lasts(gapMs);
    windows.push(await losePower(bench, fsync));
  }
  await load.done;
  await bench.drained();
  await tellLosses(bench, windows);
  bench.expected = {
    ...(fsync === 'everysec' ? { lossForgivenBefore: windows.at(-1)?.until ?? 0 } : {}),
    isRewound: true,
    recoveryP99Ms: 3_000,
  };
}

const powerLoss = (fsync: 'always' | 'everysec'): Scenario => ({
  id: `F12-power-${fsync}`,
  title: `power lost, fsync ${fsync}`,
  tasks: 4_000,
  faults: 10,
  isVariant: fsync === 'always',
  run: (bench) => losePowerUnderLoad(bench, fsync),
});

/** Power loss, played by cutting the append-only file where the disk may have been. */
export const f12PowerLoss = [powerLoss('everysec'), powerLoss('always')];

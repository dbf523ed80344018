import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readRuns } from '../../bench/saved-runs.mjs';

const MACHINE = { cpu: 'a cpu', cores: 2, node: '20.20.2', redis: 'Redis 7.0.15', packages: { bullmq: '6.7.0' } };

let dir = '';
beforeAll(async () => (dir = await mkdtemp(path.join(tmpdir(), 'bench-report-'))));
afterAll(() => rm(dir, { recursive: true }));

interface Saved {
  readonly machine?: object;
  readonly loads?: readonly [start: number, end: number];
  readonly modes: Readonly<Record<string, number>>;
  readonly side?: string;
  readonly taskCount?: number;
}

async function save(name: string, saved: Saved): Promise<string> {
  const { machine = {}, loads = [1, 2], modes, side = 'task-streams', taskCount = 1_000 } = saved;
  const file = path.join(dir, `${name}.json`);
  const figures = Object.entries(modes).map(([mode, ratio]) => ({
    mode,
    taskCount,
    sides: [{ side, ratio: { median: ratio } }],
  }));
  const run = {
    machine: { ...MACHINE, ...machine, loadAtStart: [loads[0]], loadAtEnd: [loads[1]] },
    isQuick: false,
    figures,
    floors: [],
  };
  await writeFile(file, JSON.stringify(run));
  return file;
}

describe('runs of the bench that were saved', () => {
  it('are one run: each mode from the last file that has it, in the usual order, held against the floors', async () => {
    const first = await save('first', { loads: [1, 2], modes: { latency: 0.9, 'process-c1': 1.1 } });
    const second = await save('second', { loads: [3, 4], modes: { 'process-c1': 1.4, 'produce-bulk': 3 } });

    const { machine, figures, floors } = await readRuns([first, second]);

    expect(figures.map(({ mode }) => mode)).toEqual(['produce-bulk', 'process-c1', 'latency']);
    expect(floors).toMatchObject([
      { mode: 'process-c1', found: 1.4, isReached: true },
      { mode: 'produce-bulk', found: 3, isReached: false },
      { mode: 'latency', found: 0.9, isReached: false },
    ]);
    expect(machine).toMatchObject({ loadAtStart: [1], loadAtEnd: [4] });
  });

  it('have each side of a mode from the last file that has it, with the ratio of its own rounds', async () => {
    const first = await save('ours', { modes: { latency: 0.7 } });
    const second = await save('theirs', { modes: { latency: 0.5 }, side: 'bee-queue' });

    const { figures, floors } = await readRuns([second, first]);

    expect(figures).toMatchObject([
      {
        mode: 'latency',
        sides: [
          { side: 'task-streams', ratio: { median: 0.7 } },
          { side: 'bee-queue', ratio: { median: 0.5 } },
        ],
      },
    ]);
    expect(floors).toMatchObject([{ found: 0.7 }]);
  });

  it('must be of one count of tasks', async () => {
    const first = await save('few', { modes: { latency: 1 } });
    const second = await save('many', { modes: { latency: 1 }, taskCount: 2_000 });

    await expect(readRuns([first, second])).rejects.toThrow('latency was run with 1000 tasks and with 2000.');
  });

  it('must be of one machine and the same versions', async () => {
    const first = await save('one', { modes: { latency: 1 } });
    const second = await save('other', { machine: { packages: { bullmq: '7.0.0' } }, modes: { latency: 1 } });

    await expect(readRuns([first, second])).rejects.toThrow(/other\.json is of another machine.*"bullmq":"7\.0\.0"/);
  });

  it('must be such runs', async () => {
    const file = path.join(dir, 'nothing.json');
    await writeFile(file, '{}');

    await expect(readRuns([file])).rejects.toThrow(/nothing\.json is not what .* writes: it has no figures/);
    await expect(readRuns([path.join(dir, 'gone.json')])).rejects.toThrow(/gone\.json cannot be read: ENOENT/);
  });
});

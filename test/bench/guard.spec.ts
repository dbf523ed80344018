import { beforeAll, describe, expect, it } from 'vitest';
import { readFloors } from '../../bench/floors.mjs';
import { measureMode, type SideFigures } from '../../bench/measure-mode.mjs';
import { selectModes } from '../../bench/modes.mjs';
import type { BenchContext } from '../../bench/run-once.mjs';
import { buildBench } from '../../bench/setup.mjs';
import { findRedisServer } from '../../scripts/redis/index.mjs';

const rounds = 3;
/** On a busy machine there are fewer rounds rather than more minutes. */
const budgetMs = 25_000;
/** Enough for a second or so a run; the figures of the bench itself come from more. */
const taskCounts: Readonly<Record<string, number>> = {
  'process-c100': 20_000,
  'produce-bulk': 20_000,
  'produce+consume': 12_000,
};

const guarded = (await readFloors()).filter(({ guard }) => guard !== null);

describe('the speed of the library, paired with @nestjs/bullmq', () => {
  let context: BenchContext;
  const measured = new Map<string, Promise<SideFigures>>();

  async function measure(name: string): Promise<SideFigures> {
    const [mode] = selectModes([name]);
    const sides = ['task-streams', 'nest-bullmq'] as const;
    const figures = await measureMode(context, mode!, { taskCount: taskCounts[name] ?? 0, rounds, budgetMs, sides });
    return figures.sides[0]!;
  }

  function figuresOf(name: string): Promise<SideFigures> {
    const known = measured.get(name) ?? measure(name);
    measured.set(name, known);
    return known;
  }

  beforeAll(async () => {
    const { program } = await buildBench(() => undefined);
    context = { program, server: await findRedisServer() };
  });

  it('is guarded in three modes', () => {
    expect([...new Set(guarded.map(({ mode }) => mode))].sort()).toEqual(Object.keys(taskCounts).sort());
  });

  it.each(guarded)('is better than $guard in $what of $mode', async ({ mode, what, guard }) => {
    const found = (await figuresOf(mode))[what];

    // The range is printed when it fails: a wide one says that the machine was busy.
    expect(found?.median, JSON.stringify(found)).toBeGreaterThanOrEqual(guard ?? 0);
  });
});

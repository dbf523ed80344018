import { expect, it } from 'vitest';
import { shrink, type Cut } from './shrink.js';

const WHOLE: Cut = {
  faults: ['kill', 'stop', 'cut', 'trim', 'flush', 'pause'],
  features: ['key', 'follow-up', 'long', 'cancel', 'delay'],
  scale: 1,
};

/** A run that fails where all of these are left, and notes what was run. */
function failing(...needed: readonly string[]) {
  const seen: Cut[] = [];
  const fails = async (cut: Cut): Promise<boolean> => {
    seen.push(cut);
    return needed.every((kind) => [...cut.faults, ...cut.features].includes(kind));
  };
  return { seen, fails };
}

it('finds the two kinds of faults and the kind of task that a failure needs', async () => {
  const { seen, fails } = failing('stop', 'pause', 'long');

  const { cut, runs } = await shrink(WHOLE, fails, 100);

  expect(cut).toEqual({ faults: ['stop', 'pause'], features: ['long'], scale: 0.01 });
  expect(runs).toBe(seen.length);
});

it('leaves out all faults in one run where none is needed', async () => {
  const { cut, runs } = await shrink({ ...WHOLE, scale: 0.01, features: [] }, failing().fails, 100);

  expect(cut.faults).toEqual([]);
  expect(runs).toBe(1);
});

it('answers only what was seen to fail, also when it has to stop early', async () => {
  const { seen, fails } = failing('cut', 'delay');

  const { cut, runs } = await shrink(WHOLE, fails, 5);

  expect(runs).toBe(5);
  expect(seen).toContainEqual(cut);
  expect([...cut.faults, ...cut.features]).toEqual(expect.arrayContaining(['cut', 'delay']));
});

it('keeps the size of a run that fails at that size only', async () => {
  const fails = async ({ scale }: Cut): Promise<boolean> => scale >= 1;

  expect((await shrink(WHOLE, fails, 100)).cut.scale).toBe(1);
});

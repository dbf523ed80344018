import { describe, expect, it } from 'vitest';
import { Pace } from './pace.js';

function paced(ratePerSecond: number) {
  const clock = { now: 0 };
  return { clock, pace: new Pace(ratePerSecond, () => clock.now) };
}

describe('a pace', () => {
  it('lets the first ones through at once and spreads the others evenly', () => {
    const { clock, pace } = paced(100);
    expect(pace.take(10)).toBe(0);
    expect(pace.take(10)).toBe(100);
    clock.now = 150;
    expect(pace.take(5)).toBe(50);
    expect(pace.take(1)).toBe(100);
  });

  it('catches up after a pause, without a burst', () => {
    const { clock, pace } = paced(10);
    pace.take(1);
    clock.now = 500;
    const starts = Array.from({ length: 25 }, () => (clock.now += pace.take(1)));

    expect(starts.slice(0, 3)).toEqual([500, 580, 660]);
    expect(starts.at(-1)).toBe(2_500);
  });

  it('does not make up for a long pause in full', () => {
    const { clock, pace } = paced(10);
    clock.now = 3_600_000;
    const starts = Array.from({ length: 600 }, () => (clock.now += pace.take(1)));

    expect(starts.at(-1)).toBe(3_600_000 - 10_000 + 599 * 100);
  });

  it.each([
    [1, 1],
    [50, 5],
    [100, 10],
    [100_000, 100],
  ])('of %i a second goes %i at a time', (rate, size) => {
    expect(new Pace(rate).batchSize).toBe(size);
  });
});

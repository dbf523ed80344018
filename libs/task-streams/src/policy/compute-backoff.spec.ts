import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BackoffCurve } from '../task/backoff.js';
import { computeBackoff, DEFAULT_BACKOFF } from './compute-backoff.js';

const HOUR = 3_600_000;
const error = new Error('boom');
const never = (): number => expect.unreachable('no random number is needed');

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failures = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const unspread = fc.record({
  type: fc.constantFrom('exponential' as const, 'linear' as const, 'fixed' as const),
  delayMs: fc.nat(10_000_000),
  factor: fc.double({ min: 1, max: 1000, noNaN: true }),
  maxDelayMs: fc.nat(315_360_000_000),
});

describe('computeBackoff with a curve', () => {
  it('waits whole milliseconds between 0 and the cap, after any number of failures', () => {
    const jitter = fc.constantFrom('equal' as const, 'full' as const, 'none' as const);
    fc.assert(
      fc.property(unspread, jitter, failures, random, (curve, spread, failed, drawn) => {
        const wait = computeBackoff({ ...curve, jitter: spread }, failed, error, () => drawn);
        expect(Number.isSafeInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(curve.maxDelayMs);
      }),
    );
  });

  it('never waits less after more failures, without jitter', () => {
    fc.assert(
      fc.property(unspread, failures, fc.nat(50), (curve, failed, more) => {
        const plain: BackoffCurve = { ...curve, jitter: 'none' };
        expect(computeBackoff(plain, failed + more, error, never)).toBeGreaterThanOrEqual(
          computeBackoff(plain, failed, error, never),
        );
      }),
    );
  });

  it('spreads equal jitter over the upper half and full jitter over the whole', () => {
    fc.assert(
      fc.property(unspread, failures, random, (curve, failed, drawn) => {
        const whole = computeBackoff({ ...curve, jitter: 'none' }, failed, error, never);
        const equal = computeBackoff({ ...curve, jitter: 'equal' }, failed, error, () => drawn);
        const full = computeBackoff({ ...curve, jitter: 'full' }, failed, error, () => drawn);
        // Half a millisecond of rounding on each side.
        expect(equal).toBeGreaterThanOrEqual(whole / 2 - 1);
        expect(equal).toBeLessThanOrEqual(whole + 1);
        expect(Math.abs(full - whole * drawn)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('waits 2, 4, 8, 16 seconds by default, and an hour in the end', () => {
    const waits = [1, 2, 3, 4, 1_000_000].map((failed) =>
      computeBackoff({ ...DEFAULT_BACKOFF, jitter: 'none' }, failed, error, never),
    );

    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, HOUR]);
  });

  it('follows its type', () => {
    const waits = (curve: BackoffCurve): number[] =>
      [1, 2, 3].map((failed) => computeBackoff({ ...curve, jitter: 'none' }, failed, error, never));

    expect(waits({ type: 'linear', delayMs: 10 })).toEqual([10, 20, 30]);
    expect(waits({ type: 'fixed', delayMs: 10 })).toEqual([10, 10, 10]);
    expect(waits({ type: 'exponential', delayMs: 10, factor: 3 })).toEqual([10, 30, 90]);
    expect(waits({ type: 'exponential', delayMs: 0 })).toEqual([0, 0, 0]);
  });

  it('spreads a thousand tasks that failed together so that no tenth of a second holds 15 % of them', () => {
    const share = (jitter: 'equal' | 'none'): number => {
      const buckets = new Map<number, number>();
      for (let task = 0; task < 1_000; task += 1) {
        const bucket = Math.floor(
          computeBackoff({ ...DEFAULT_BACKOFF, jitter }, 1, error, () => (task * 0.618) % 1) / 100,
        );
        buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
      }
      return Math.max(...buckets.values()) / 1_000;
    };

    expect(share('equal')).toBeLessThan(0.15);
    expect(share('none')).toBe(1);
  });
});

describe('computeBackoff with a list', () => {
  it('takes the wait of its place and repeats the last', () => {
    expect([1, 2, 3, 1_000_000].map((failed) => computeBackoff([5, 0, 70], failed, error, never))).toEqual([
      5, 0, 70, 70,
    ]);
  });
});

describe('computeBackoff with a function', () => {
  it('asks it with the number of failures and the error', () => {
    const seen: unknown[] = [];
    const backoff = (failed: number, thrown: unknown): number => {
      seen.push(failed, thrown);
      return 12.6;
    };

    expect(computeBackoff(backoff, 3, error, never)).toBe(13);
    expect(seen).toEqual([3, error]);
  });

  it.each([NaN, -1, Infinity, undefined, '5', null])('refuses the answer %o', (answer) => {
    expect(() => computeBackoff(() => answer as number, 1, error, never)).toThrow(RangeError);
  });
});

import type { Backoff, BackoffCurve } from '../task/backoff.js';
import { refusePromise } from './refuse-promise.js';

export const DEFAULT_BACKOFF: Required<BackoffCurve> = Object.freeze({
  type: 'exponential',
  delayMs: 2_000,
  factor: 2,
  maxDelayMs: 3_600_000,
  jitter: 'equal',
});

/** A number from 0 (included) to 1. */
export type Random = () => number;

/**
 * The wait after a failure, in whole milliseconds.
 *
 * @param failedAttempts How many attempts have failed: 1 after the first.
 * @param random Answers a number from 0 to 1, for the jitter. Give one of your own to test a policy.
 * @throws RangeError when a backoff function answers something that is no wait.
 * @publicApi
 */
export function computeBackoff(backoff: Backoff, failedAttempts: number, error: unknown, random: Random): number {
  if (typeof backoff === 'function')
    return requireDelay(refusePromise('The backoff function', backoff(failedAttempts, error)));
  if (isDelayList(backoff)) return backoff[Math.min(failedAttempts, backoff.length) - 1] ?? 0;
  const curve = { ...DEFAULT_BACKOFF, ...backoff };
  return Math.round(spread(Math.min(curve.maxDelayMs, curveDelay(curve, failedAttempts)), curve.jitter, random));
}

function isDelayList(backoff: BackoffCurve | readonly number[]): backoff is readonly number[] {
  return Array.isArray(backoff);
}

function curveDelay(curve: Required<BackoffCurve>, failedAttempts: number): number {
  switch (curve.type) {
    case 'fixed':
      return curve.delayMs;
    case 'linear':
      return curve.delayMs * failedAttempts;
    case 'exponential':
      // A large exponent gives Infinity, which the cap brings back; 0 * Infinity would be NaN.
      return curve.delayMs === 0 ? 0 : curve.delayMs * curve.factor ** (failedAttempts - 1);
  }
}

function spread(delayMs: number, jitter: Required<BackoffCurve>['jitter'], random: Random): number {
  switch (jitter) {
    case 'none':
      return delayMs;
    case 'full':
      return random() * delayMs;
    case 'equal':
      return delayMs / 2 + random() * (delayMs / 2);
  }
}

function requireDelay(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return Math.round(value);
  throw new RangeError(
    `The backoff function answered ${String(value)}; it must answer milliseconds that are 0 or more`,
  );
}

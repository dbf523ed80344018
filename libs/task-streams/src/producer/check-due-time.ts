import { InvalidOptionError } from '../task/config-errors.js';
import { MAX_STORED_MS, MESSAGE_BOUNDS, isWithin } from '../task/limits.js';
import type { EnqueueOptions } from './enqueue-options.js';

/** 2000-01-01. A smaller number is a time in seconds, taken for milliseconds. */
const EARLIEST_TIME = 946_684_800_000;

/**
 * When the task is due; 0 for at once.
 *
 * @throws InvalidOptionError
 * @internal
 */
export function dueTime(
  options: Pick<EnqueueOptions, 'delayMs' | 'runAt'>,
  what = 'enqueue',
): { readonly delayMs: number; readonly runAt: number } {
  const { delayMs, runAt } = options;
  if (delayMs !== undefined && runAt !== undefined) {
    throw new InvalidOptionError(`${what}.runAt`, runAt, 'delayMs is given too; give one of them');
  }
  return {
    delayMs: delayMs === undefined ? 0 : requireDelay(`${what}.delayMs`, delayMs),
    runAt: runAt === undefined ? 0 : requireTime(`${what}.runAt`, runAt),
  };
}

/**
 * A time in whole milliseconds since 1970.
 *
 * @throws InvalidOptionError for what is none, and for one that was meant in another unit.
 * @internal
 */
export function requireTime(path: string, value: unknown): number {
  const time = value instanceof Date ? value.getTime() : value;
  if (typeof time !== 'number' || !Number.isFinite(time)) {
    throw new InvalidOptionError(path, value, 'give a valid Date, or milliseconds since 1970');
  }
  if (time < EARLIEST_TIME) {
    throw new InvalidOptionError(path, time, 'that is before the year 2000; give milliseconds since 1970, not seconds');
  }
  if (time > Date.now() + MAX_STORED_MS) {
    throw new InvalidOptionError(path, time, 'that is more than ten years ahead; give milliseconds since 1970');
  }
  return Math.ceil(time);
}

function requireDelay(path: string, delayMs: unknown): number {
  if (isWithin(MESSAGE_BOUNDS.delayMs, delayMs)) return Math.ceil(delayMs);
  throw new InvalidOptionError(path, delayMs, `give milliseconds from 0 to ${MAX_STORED_MS} (ten years)`);
}

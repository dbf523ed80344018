import { InvalidOptionError } from '../task/config-errors.js';
import type { Backoff, BackoffCurve } from '../task/backoff.js';
import { BACKOFF_BOUNDS, BACKOFF_TYPES, JITTERS, isWithin } from '../task/limits.js';
import { milliseconds, oneOf, partialGroup, type OptionCheck } from './check-option.js';

const { delayMs, factor, maxDelayMs, length } = BACKOFF_BOUNDS;

const checkWait = milliseconds(delayMs.min, delayMs.max);

const checkFactor: OptionCheck<number> = (path, value) => {
  if (isWithin(factor, value)) return value;
  throw new InvalidOptionError(path, value, `give a number from ${factor.min} to ${factor.max}`);
};

const checkCurve = partialGroup<Required<BackoffCurve>>({
  type: oneOf(BACKOFF_TYPES),
  delayMs: checkWait,
  factor: checkFactor,
  maxDelayMs: milliseconds(maxDelayMs.min, maxDelayMs.max),
  jitter: oneOf(JITTERS),
});

/**
 * Accepts a curve or a list of waits: a backoff that can travel with a message.
 *
 * @internal
 */
export const checkSendableBackoff: OptionCheck<BackoffCurve | readonly number[]> = (path, value) => {
  if (typeof value === 'function') {
    throw new InvalidOptionError(
      path,
      value,
      'a function cannot travel with a task; give a curve or a list of milliseconds',
    );
  }
  return Array.isArray(value) ? checkList(path, value) : requireCurve(path, value);
};

/**
 * Accepts a curve, a list of waits, or a function.
 *
 * @internal
 */
export const checkBackoff: OptionCheck<Backoff> = (path, value) =>
  typeof value === 'function' ? (value as Backoff) : checkSendableBackoff(path, value);

function checkList(path: string, list: readonly unknown[]): readonly number[] {
  if (!isWithin(length, list.length)) {
    throw new InvalidOptionError(
      path,
      list,
      `give ${length.min} to ${length.max} waits in milliseconds; there are ${list.length}`,
    );
  }
  return Object.freeze(Array.from(list, (entry, index) => checkWait(`${path}[${index}]`, entry)));
}

function requireCurve(path: string, value: unknown): BackoffCurve {
  const { type, ...rest } = checkCurve(path, value);
  if (type !== undefined) return Object.freeze({ type, ...rest });
  throw new InvalidOptionError(`${path}.type`, type, "give 'exponential' or 'linear' or 'fixed'");
}

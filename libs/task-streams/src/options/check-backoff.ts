import { InvalidOptionError } from '../task/config-errors.js';
import type { Backoff, BackoffCurve } from '../task/backoff.js';
import { MAX_STORED_MS, milliseconds, oneOf, partialGroup, type OptionCheck } from './check-option.js';

const MAX_LIST = 1000;
const MAX_FACTOR = 1000;

const wait = milliseconds(0, MAX_STORED_MS);

const checkFactor: OptionCheck<number> = (path, value) => {
  if (typeof value === 'number' && value >= 1 && value <= MAX_FACTOR) return value;
  throw new InvalidOptionError(path, value, `give a number from 1 to ${MAX_FACTOR}`);
};

const checkCurve = partialGroup<Required<BackoffCurve>>({
  type: oneOf(['exponential', 'linear', 'fixed']),
  delayMs: wait,
  factor: checkFactor,
  maxDelayMs: wait,
  jitter: oneOf(['equal', 'full', 'none']),
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
  if (list.length === 0 || list.length > MAX_LIST) {
    throw new InvalidOptionError(path, list, `give 1 to ${MAX_LIST} waits in milliseconds; there are ${list.length}`);
  }
  return Object.freeze(Array.from(list, (entry, index) => wait(`${path}[${index}]`, entry)));
}

function requireCurve(path: string, value: unknown): BackoffCurve {
  const { type, ...rest } = checkCurve(path, value);
  if (type !== undefined) return Object.freeze({ type, ...rest });
  throw new InvalidOptionError(`${path}.type`, type, "give 'exponential' or 'linear' or 'fixed'");
}

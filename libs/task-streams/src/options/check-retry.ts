import { InvalidOptionError } from '../task/config-errors.js';
import { MESSAGE_BOUNDS } from '../task/limits.js';
import type { ErrorMatcher } from '../policy/retry-policy.js';
import { checkBackoff } from './check-backoff.js';
import { functionLike, wholeNumber, type OptionCheck, type OptionChecks } from './check-option.js';
import type { RetryOptions } from './handler-options.js';

/** What has not passed by then does not pass in an instant. */
const MAX_IMMEDIATE_RETRIES = 100;

/**
 * Accepts a number of attempts, the first included.
 *
 * @internal
 */
export const checkAttempts = wholeNumber(
  MESSAGE_BOUNDS.attempts.min,
  MESSAGE_BOUNDS.attempts.max,
  ' (the first attempt counts)',
);

const checkMatchers: OptionCheck<readonly ErrorMatcher[]> = (path, value) => {
  if (!Array.isArray(value)) throw new InvalidOptionError(path, value, 'give an array of error classes or their names');
  for (const [index, matcher] of value.entries()) {
    if (typeof matcher !== 'function' && (typeof matcher !== 'string' || matcher === '')) {
      throw new InvalidOptionError(`${path}[${index}]`, matcher, 'give an error class or the name of one');
    }
  }
  return Object.freeze([...(value as ErrorMatcher[])]);
};

/**
 * The checks of the options about retries, without defaults.
 *
 * @internal
 */
export const RETRY_CHECKS: OptionChecks<Required<RetryOptions>> = {
  attempts: checkAttempts,
  backoff: checkBackoff,
  nonRetryable: checkMatchers,
  retryIf: functionLike('give a function that answers true for an error that is worth another attempt'),
  immediateRetries: wholeNumber(0, MAX_IMMEDIATE_RETRIES, ' (runs beside the first)'),
  isFailure: functionLike('give a function that answers false for an error that is an expected outcome'),
};

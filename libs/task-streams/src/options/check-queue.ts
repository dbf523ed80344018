import { InvalidOptionError } from '../task/config-errors.js';
import { checkOnExpired } from './check-expired.js';
import { oneOf, partialGroup, trueOrFalse, wholeNumber, type OptionCheck } from './check-option.js';
import type { QueueOptions } from './task-streams-options.js';

/**
 * Accepts how many tasks of a queue run at once.
 *
 * @internal
 */
export const checkConcurrency = wholeNumber(1, 10_000, ' (tasks at once)');

const checkMembers = partialGroup<Required<QueueOptions>>({
  concurrency: checkConcurrency,
  events: trueOrFalse,
  maxBacklog: wholeNumber(1, 1_000_000_000, ' (tasks that wait)'),
  onExpired: checkOnExpired,
  onFull: oneOf(['reject', 'wait']),
});

/**
 * Accepts the options of one queue and answers those that were given.
 *
 * @internal
 */
export const checkQueue: OptionCheck<QueueOptions> = (path, value) => {
  const queue = checkMembers(path, value);
  if (queue.onFull !== undefined && queue.maxBacklog === undefined) {
    throw new InvalidOptionError(`${path}.onFull`, queue.onFull, 'a queue without maxBacklog is never full; give both');
  }
  return queue;
};

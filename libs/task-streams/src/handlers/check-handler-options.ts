import {
  functionLike,
  milliseconds,
  oneOf,
  partialGroup,
  trueOrFalse,
  type OptionCheck,
} from '../options/check-option.js';
import { checkOnExpired } from '../options/check-expired.js';
import { RETRY_CHECKS } from '../options/check-retry.js';
import type { TaskHandlerOptions } from '../options/handler-options.js';
import { requireQueueName } from '../task/names.js';
import { MAX_STORED_MS, MAX_TIMER_MS } from '../task/limits.js';

const orFalse =
  <T>(check: OptionCheck<T>): OptionCheck<T | false> =>
  (path, value) =>
    value === false ? false : check(path, value);

const checkOptions = partialGroup<Required<TaskHandlerOptions>>({
  queue: (_path, value) => requireQueueName(value),
  timeoutMs: orFalse(milliseconds(1, MAX_TIMER_MS)),
  retry: orFalse(partialGroup(RETRY_CHECKS)),
  idempotency: orFalse(
    partialGroup<Required<Exclude<TaskHandlerOptions['idempotency'], false | undefined>>>({
      key: functionLike('give a function of the payload that answers the key'),
      ttlMs: milliseconds(1, MAX_STORED_MS),
      onDuplicate: oneOf(['replay', 'skip', 'throw']),
      onInProgress: oneOf(['defer', 'drop']),
    }),
  ),
  deadLetter: orFalse(partialGroup<{ keep: boolean }>({ keep: trueOrFalse })),
  onExpired: checkOnExpired,
  validate: trueOrFalse,
});

/**
 * Accepts the options of a handler.
 *
 * @throws InvalidOptionError for a value that cannot work or a name that is not known; `place` says where it stands.
 */
export function checkHandlerOptions(place: string, options: TaskHandlerOptions): TaskHandlerOptions {
  return checkOptions(place, options);
}

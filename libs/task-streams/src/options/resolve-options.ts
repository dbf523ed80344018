import { DEFAULT_BACKOFF } from '../policy/compute-backoff.js';
import { REDACTED_BY_DEFAULT } from '../policy/redact.js';
import { InvalidNameError, InvalidOptionError } from '../task/config-errors.js';
import { MAX_STORED_MS, MAX_TIMER_MS } from '../task/limits.js';
import { requireQueueName } from '../task/names.js';
import { checkConnection, requireGivenConnection } from './check-connection.js';
import {
  group,
  milliseconds,
  oneOf,
  requireObject,
  trueOrFalse,
  wholeNumber,
  withDefault,
  type OptionCheck,
} from './check-option.js';
import { checkConcurrency, checkQueue } from './check-queue.js';
import { RETRY_CHECKS } from './check-retry.js';
import type { ResolvedOptions } from './resolved-options.js';
import type { QueueOptions, TaskStreamsOptions } from './task-streams-options.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MEBIBYTE = 1_048_576;

const checkTimeout = wholeNumber(1, MAX_TIMER_MS, ' (milliseconds), or false for no limit');

const checkPrefix: OptionCheck<string> = (path, value) => {
  if (typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value)) return value;
  // Braces would move the slot of every key; the other characters are patterns to SCAN.
  throw new InvalidOptionError(path, value, 'give 1 to 64 letters, digits or . _ : -');
};

const checkQueues: OptionCheck<Readonly<Record<string, QueueOptions>>> = (path, value) => {
  // Without a prototype, so that a queue called "constructor" has no options by accident.
  const queues = Object.create(null) as Record<string, QueueOptions>;
  for (const [name, options] of Object.entries(requireObject(path, value === undefined ? {} : value))) {
    queues[requireQueueOption(path, name)] = checkQueue(`${path}.${name}`, options);
  }
  return Object.freeze(queues);
};

const checkRedact: OptionCheck<readonly string[]> = (path, value = []) => {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string' && /^[\w .-]{1,64}$/.test(name))) {
    return Object.freeze([
      ...new Set([...REDACTED_BY_DEFAULT, ...(value as string[]).map((name) => name.toLowerCase())]),
    ]);
  }
  throw new InvalidOptionError(path, value, "give a list of names, such as ['iban', 'taxNumber']");
};

const resolve = group<ResolvedOptions>({
  connection: checkConnection,
  prefix: withDefault('ts', checkPrefix),
  mode: withDefault('both', oneOf(['producer', 'worker', 'both'])),
  autoStart: withDefault(false, trueOrFalse),
  onRedisDown: withDefault('wait', oneOf(['wait', 'fail'])),
  allowEviction: withDefault(false, trueOrFalse),
  concurrency: withDefault(10, checkConcurrency),
  queues: checkQueues,
  retry: group<ResolvedOptions['retry']>({
    attempts: withDefault(5, RETRY_CHECKS.attempts),
    backoff: withDefault(DEFAULT_BACKOFF, RETRY_CHECKS.backoff),
    nonRetryable: withDefault([], RETRY_CHECKS.nonRetryable),
    retryIf: withDefault<ResolvedOptions['retry']['retryIf']>(undefined, RETRY_CHECKS.retryIf),
    immediateRetries: withDefault(0, RETRY_CHECKS.immediateRetries),
    isFailure: withDefault<ResolvedOptions['retry']['isFailure']>(undefined, RETRY_CHECKS.isFailure),
  }),
  timeoutMs: withDefault<number | false>(5 * MINUTE, (path, value) =>
    value === false ? false : checkTimeout(path, value),
  ),
  leaseMs: withDefault(30 * SECOND, milliseconds(100, DAY)),
  crashLimit: withDefault(3, wholeNumber(1, 1000, ' (deliveries)')),
  shutdownTimeoutMs: withDefault(25 * SECOND, milliseconds(0, DAY)),
  enqueueTimeoutMs: withDefault(5 * SECOND, milliseconds(1, DAY)),
  timing: group<ResolvedOptions['timing']>({
    sweepMs: withDefault(5 * SECOND, milliseconds(10, DAY)),
    promoteMs: withDefault(500, milliseconds(10, DAY)),
    blockMs: withDefault(2 * SECOND, milliseconds(10, HOUR)),
    consumerTtlMs: withDefault(DAY, milliseconds(100, 30 * DAY)),
    stuckAfterMs: withDefault(MINUTE, milliseconds(10, DAY)),
    unknownTaskGraceMs: withDefault(5 * MINUTE, milliseconds(0, MAX_STORED_MS)),
    deferralLimitMs: withDefault(HOUR, milliseconds(0, MAX_STORED_MS)),
  }),
  limits: group<ResolvedOptions['limits']>({
    // Redis refuses a value above 512 MiB.
    maxPayloadBytes: withDefault(MEBIBYTE, wholeNumber(1, 512 * MEBIBYTE, ' (bytes)')),
    // Well below the depth at which code that walks a payload runs out of stack.
    maxPayloadDepth: withDefault(200, wholeNumber(1, 1_000, ' (levels)')),
    maxHeaders: withDefault(64, wholeNumber(0, 1_000, ' (headers)')),
  }),
  retention: group<ResolvedOptions['retention']>({
    completedMs: withDefault(HOUR, milliseconds(0, MAX_STORED_MS)),
    deadLettersMs: withDefault(14 * DAY, milliseconds(1, MAX_STORED_MS)),
    maxDeadLetters: withDefault(100_000, wholeNumber(1, 100_000_000, ' (dead letters of a queue)')),
    idempotencyKeysMs: withDefault(DAY, milliseconds(1, MAX_STORED_MS)),
    logsMs: withDefault(DAY, milliseconds(1, MAX_STORED_MS)),
    results: withDefault(true, trueOrFalse),
    maxResultBytes: withDefault(4_096, wholeNumber(0, 16 * MEBIBYTE, ' (bytes)')),
  }),
  enhancers: withDefault('handler', oneOf(['all', 'handler'])),
  validate: withDefault(true, trueOrFalse),
  logSuccess: withDefault(false, trueOrFalse),
  asyncContext: withDefault(false, trueOrFalse),
  redact: checkRedact,
});

/**
 * Every option with its value: what was given, checked, and the default for what was left out. The answer is frozen and
 * does not change when the input is changed later.
 *
 * @throws InvalidOptionError for a value that cannot work or a name that is not known.
 * @internal
 */
export function resolveOptions(input: TaskStreamsOptions = {}): ResolvedOptions {
  const given = requireObject('', input);
  requireGivenConnection(given);
  return resolve('', given);
}

function requireQueueOption(path: string, name: string): string {
  try {
    return requireQueueName(name);
  } catch (error) {
    if (!(error instanceof InvalidNameError)) throw error;
    throw new InvalidOptionError(path, name, `this is no name for a queue. ${error.message}`);
  }
}

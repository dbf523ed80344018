import type { Durability, ReplicaDurability } from '../contracts/broker.interface.js';
import { checkSendableBackoff } from '../options/check-backoff.js';
import {
  MAX_STORED_MS,
  MAX_TIMER_MS,
  milliseconds,
  partialGroup,
  requireOptions,
  wholeNumber,
  type OptionChecks,
} from '../options/check-option.js';
import { checkAttempts } from '../options/check-retry.js';
import { InvalidOptionError } from '../task/config-errors.js';
import type { MessageOptions } from '../task/envelope.js';
import type { EnqueueOptions } from './enqueue-options.js';

/** Every name, checked by the compiler to be complete. */
const NAMES = Object.keys({
  id: 0,
  queue: 0,
  idempotencyKey: 0,
  headers: 0,
  delayMs: 0,
  runAt: 0,
  attempts: 0,
  backoff: 0,
  timeoutMs: 0,
  durability: 0,
} satisfies Record<keyof EnqueueOptions, 0>);

/** 2000-01-01. A smaller number is a time in seconds, taken for milliseconds. */
const EARLIEST_RUN_AT = 946_684_800_000;

const MESSAGE_CHECKS: OptionChecks<Required<MessageOptions>> = {
  attempts: checkAttempts,
  backoff: checkSendableBackoff,
  timeoutMs: milliseconds(1, MAX_TIMER_MS),
};

const checkReplicas = partialGroup<Required<ReplicaDurability>>({
  replicas: wholeNumber(1, 100, ' (replicas)'),
  timeoutMs: milliseconds(1, MAX_TIMER_MS),
});

/**
 * Returns the options as they are, or throws InvalidOptionError for a name that is not known.
 *
 * @internal
 */
export function requireEnqueueOptions(options: EnqueueOptions): EnqueueOptions {
  requireOptions('enqueue', options, NAMES);
  return options;
}

/**
 * What the message itself asks for; `undefined` where it asks for nothing.
 *
 * @throws InvalidOptionError
 * @internal
 */
export function messageOptions(options: EnqueueOptions): MessageOptions | undefined {
  const { attempts, backoff, timeoutMs } = options;
  if (attempts === undefined && backoff === undefined && timeoutMs === undefined) return undefined;
  return {
    ...(attempts === undefined ? {} : { attempts: MESSAGE_CHECKS.attempts('enqueue.attempts', attempts) }),
    ...(backoff === undefined ? {} : { backoff: MESSAGE_CHECKS.backoff('enqueue.backoff', backoff) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs: MESSAGE_CHECKS.timeoutMs('enqueue.timeoutMs', timeoutMs) }),
  };
}

/**
 * When the task is due; 0 for at once.
 *
 * @throws InvalidOptionError
 * @internal
 */
export function dueTime(options: EnqueueOptions): { readonly delayMs: number; readonly runAt: number } {
  const { delayMs, runAt } = options;
  if (delayMs !== undefined && runAt !== undefined) {
    throw new InvalidOptionError('enqueue.runAt', runAt, 'delayMs is given too; give one of them');
  }
  return {
    delayMs: delayMs === undefined ? 0 : requireDelay(delayMs),
    runAt: runAt === undefined ? 0 : requireRunAt(runAt),
  };
}

/**
 * The durability that was asked for, `memory` where none was.
 *
 * @throws InvalidOptionError
 * @internal
 */
export function wantedDurability(options: EnqueueOptions): Durability {
  const { durability = 'memory' } = options;
  if (durability === 'memory' || durability === 'fsync') return durability;
  if (typeof durability !== 'object') {
    throw new InvalidOptionError('enqueue.durability', durability, "give 'memory', 'fsync' or { replicas: 1 }");
  }
  const { replicas, timeoutMs } = checkReplicas('enqueue.durability', durability);
  if (replicas === undefined)
    throw new InvalidOptionError('enqueue.durability.replicas', replicas, 'give the number of replicas');
  return timeoutMs === undefined ? { replicas } : { replicas, timeoutMs };
}

function requireDelay(delayMs: unknown): number {
  if (typeof delayMs === 'number' && delayMs >= 0 && delayMs <= MAX_STORED_MS) return Math.ceil(delayMs);
  throw new InvalidOptionError('enqueue.delayMs', delayMs, `give milliseconds from 0 to ${MAX_STORED_MS} (ten years)`);
}

function requireRunAt(runAt: unknown): number {
  const time = runAt instanceof Date ? runAt.getTime() : runAt;
  if (typeof time !== 'number' || !Number.isFinite(time)) {
    throw new InvalidOptionError('enqueue.runAt', runAt, 'give a valid Date, or milliseconds since 1970');
  }
  if (time < EARLIEST_RUN_AT) {
    throw new InvalidOptionError(
      'enqueue.runAt',
      time,
      'that is before the year 2000; give milliseconds since 1970, not seconds',
    );
  }
  if (time > Date.now() + MAX_STORED_MS) {
    throw new InvalidOptionError(
      'enqueue.runAt',
      time,
      'that is more than ten years ahead; give milliseconds since 1970',
    );
  }
  return Math.ceil(time);
}

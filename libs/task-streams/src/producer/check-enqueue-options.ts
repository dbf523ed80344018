import type { Durability, ReplicaDurability } from '../contracts/inbox-store.interface.js';
import { checkSendableBackoff } from '../options/check-backoff.js';
import { milliseconds, partialGroup, requireOptions, wholeNumber } from '../options/check-option.js';
import { checkAttempts } from '../options/check-retry.js';
import { InvalidOptionError } from '../task/config-errors.js';
import type { MessageOptions } from '../task/envelope.js';
import { MAX_TIMER_MS, MESSAGE_BOUNDS } from '../task/limits.js';
import { messageExpiry } from './check-expiry.js';
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
  ttlMs: 0,
  deadline: 0,
  deadlineMs: 0,
  durability: 0,
} satisfies Record<keyof EnqueueOptions, 0>);

const checkMessage = partialGroup<Required<Omit<MessageOptions, 'expiry'>>>({
  attempts: checkAttempts,
  backoff: checkSendableBackoff,
  timeoutMs: milliseconds(MESSAGE_BOUNDS.timeoutMs.min, MESSAGE_BOUNDS.timeoutMs.max),
});

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
  const expiry = messageExpiry(options);
  if (attempts === undefined && backoff === undefined && timeoutMs === undefined && expiry === undefined)
    return undefined;
  return { ...checkMessage('enqueue', { attempts, backoff, timeoutMs }), ...(expiry === undefined ? {} : { expiry }) };
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

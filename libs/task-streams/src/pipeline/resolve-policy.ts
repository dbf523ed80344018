import type { OnDuplicate, OnExpired, OnInProgress, TaskHandlerOptions } from '../options/handler-options.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import type { MessageOptions } from '../task/envelope.js';
import { DEFAULT_QUEUE } from '../task/names.js';

/** How a task is run: what the message, the handler and the module say, resolved in this order. */
export interface TaskPolicy {
  readonly retry: ResolvedOptions['retry'];
  /** Milliseconds an attempt may take; `undefined` for no limit. */
  readonly timeoutMs: number | undefined;
  /** `undefined` where idempotency is off. */
  readonly idempotency: IdempotencyPolicy | undefined;
  /** Whether a task that is given up is kept in the dead-letter stream. */
  readonly keepsDeadLetters: boolean;
  readonly onExpired: OnExpired;
  /** Which pieces `@TaskHandler` has bound. */
  readonly pieces: BoundPieces;
}

export interface IdempotencyPolicy {
  /** Answers the key of a payload; `undefined` where the sender gives it. */
  readonly key: ((payload: unknown) => string) | undefined;
  readonly ttlMs: number;
  readonly onDuplicate: OnDuplicate;
  readonly onInProgress: OnInProgress;
}

/** Which of the three pieces are on for a handler. */
export interface BoundPieces {
  readonly idempotency: boolean;
  readonly retry: boolean;
  readonly deadLetter: boolean;
}

/** Which pieces the options of a handler ask for. */
export function piecesOf(handler: TaskHandlerOptions): BoundPieces {
  return {
    idempotency: handler.idempotency !== false,
    retry: handler.retry !== false,
    deadLetter: handler.deadLetter !== false,
  };
}

/** What the handler and the module say. Resolved once, when the handler is registered. */
export function resolvePolicy(module: ResolvedOptions, handler: TaskHandlerOptions, queue = DEFAULT_QUEUE): TaskPolicy {
  const timeoutMs = handler.timeoutMs ?? module.timeoutMs;
  const { retry, idempotency, deadLetter } = handler;
  return {
    retry:
      retry === false
        ? { ...module.retry, attempts: 1, immediateRetries: 0 }
        : { ...module.retry, ...withoutUndefined(retry) },
    timeoutMs: timeoutMs === false ? undefined : timeoutMs,
    idempotency:
      idempotency === false
        ? undefined
        : {
            key: idempotency?.key as IdempotencyPolicy['key'],
            ttlMs: idempotency?.ttlMs ?? module.retention.idempotencyKeysMs,
            onDuplicate: idempotency?.onDuplicate ?? 'replay',
            onInProgress: idempotency?.onInProgress ?? 'defer',
          },
    keepsDeadLetters: deadLetter !== false && (deadLetter?.keep ?? true),
    onExpired: handler.onExpired ?? expiryOfQueue(module, queue),
    pieces: piecesOf(handler),
  };
}

/** What becomes of a task whose time is over where no handler is known that says it. */
export function expiryOfQueue(module: ResolvedOptions, queue: string): OnExpired {
  return module.queues[queue]?.onExpired ?? 'dead-letter';
}

/**
 * The policy with what the message asks for explicitly. A handler with `retry: false` is run once, whatever the message
 * says: its author has said that running it again does harm.
 */
export function applyMessageOptions(policy: TaskPolicy, message: MessageOptions): TaskPolicy {
  const { attempts, backoff, timeoutMs } = message;
  if (attempts === undefined && backoff === undefined && timeoutMs === undefined) return policy;
  const retry = policy.pieces.retry
    ? { ...policy.retry, attempts: attempts ?? policy.retry.attempts, backoff: backoff ?? policy.retry.backoff }
    : policy.retry;
  return { ...policy, retry, timeoutMs: timeoutMs ?? policy.timeoutMs };
}

/** An option that is there but undefined means the same as one that is not there. */
function withoutUndefined<T extends object>(options: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}

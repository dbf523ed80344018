import type { Delivery } from '../contracts/work-store.interface.js';
import type { Random } from '../policy/compute-backoff.js';
import { fingerprintOf, traitsOf } from '../policy/failure-group.js';
import type { DeadLetterInfo, DeadLetterReason } from '../task/dead-letter.js';
import type { ErrorDescription } from '../task/error-description.js';
import type { TaskEnvelope } from '../task/envelope.js';
import type { TaskMeta } from '../task/task-meta.js';
import type { DeadLetterOutcome, DeferOutcome, ExpireOutcome } from '../task/task-outcome.js';

/** An entry that cannot be run here, and why. */
export interface UnrunnableEntry {
  readonly delivery: Delivery;
  /** `undefined` where the entry could not be read. */
  readonly envelope: TaskEnvelope | undefined;
  readonly meta: TaskMeta;
  readonly reason: DeadLetterReason;
  readonly detail: string;
  readonly worker: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The shortest and the longest wait for a worker that knows the task, in milliseconds. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** Sets the entry aside. */
export function giveUpEntry(entry: UnrunnableEntry): DeadLetterOutcome {
  const { meta } = entry;
  const error = describe(entry);
  const info: DeadLetterInfo = {
    reason: entry.reason,
    error,
    failedAttempts: meta.failedAttempts,
    deliveryCount: entry.delivery.deliveryCount,
    firstFailedAt: meta.firstFailedAt,
    at: entry.at,
    worker: entry.worker,
    history: meta.history,
    redriveCount: meta.redriveCount,
    redrives: meta.redrives ?? [],
    fingerprint: fingerprintOf(traitsOf(entry.envelope?.name ?? entry.delivery.name, error)),
  };
  return { kind: 'dead-letter', info, keep: true };
}

/** Drops an entry whose time is over. */
export function dropEntry(entry: UnrunnableEntry): ExpireOutcome {
  return { kind: 'expired', error: describe(entry), failedAttempts: entry.meta.failedAttempts };
}

function describe({ detail }: UnrunnableEntry): ErrorDescription {
  return { name: 'UnrunnableTask', message: detail };
}

/**
 * Offers the entry again, because a newer worker may know it (a deploy is under way), until the grace is over. It waits
 * as long as it has waited already, so that the waits double: 1, 1, 2, 4 … 30 s.
 */
export function offerAgain(entry: UnrunnableEntry, graceMs: number, random: Random): DeferOutcome | DeadLetterOutcome {
  const since = entry.meta.deferredSince ?? entry.at;
  const waitedMs = Math.max(0, entry.at - since);
  if (waitedMs >= graceMs) return giveUpEntry(entry);
  return {
    kind: 'defer',
    // Spread, because Redis serves the worker that has waited longest: with even waits the same one gets it each time.
    delayMs: Math.round(
      Math.min(Math.max(waitedMs, MIN_WAIT_MS) * (1 + random() / 2), MAX_WAIT_MS, graceMs - waitedMs),
    ),
    meta: { ...entry.meta, deferredSince: since },
    why: entry.detail,
  };
}

import type { FactName } from '../watch/fact.interface.js';
import type { EnqueueFailure } from '../watch/producer-observer.interface.js';

/** The closed lists behind the labels: the names of facts, and what is told apart within one. */
export const ENQUEUE_OUTCOMES = [
  'enqueued',
  'duplicate',
  'rejected',
  'full',
  'unavailable',
  'uncertain',
] as const satisfies readonly (FactName | 'duplicate' | EnqueueFailure)[];
export const ATTEMPT_OUTCOMES = [
  'completed',
  'replayed',
  'retrying',
  'timeout',
  'deferred',
  'dead',
  'expired',
  'cancelled',
  'released',
  'refused',
] as const satisfies readonly (FactName | 'replayed' | 'timeout')[];
export const FINISHED_OUTCOMES = ['completed', 'dead', 'expired', 'cancelled'] as const satisfies readonly FactName[];
export const REDRIVE_MODES = ['same', 'edited'] as const;
export const REDELIVERY_CAUSES = ['reclaimed', 'released', 'redriven'] as const satisfies readonly FactName[];
export const IDEMPOTENCY_RESULTS = ['executed', 'replayed', 'busy', 'lease-lost'] as const;
export const OPERATIONS = ['enqueue', 'fetch', 'settle', 'renew', 'reclaim', 'promote', 'prune', 'leave'] as const;
export const COLLECT_TARGETS = ['queues', 'server'] as const;

export type EnqueueOutcome = (typeof ENQUEUE_OUTCOMES)[number];
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
export type FinishedOutcome = (typeof FINISHED_OUTCOMES)[number];
/** What stands for a queue or task whose name nobody has declared: names from outside must not make series. */
export const OTHER = 'other';

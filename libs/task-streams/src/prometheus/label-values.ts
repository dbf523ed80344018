/** The closed lists behind the labels. */
export const ENQUEUE_OUTCOMES = ['ok', 'duplicate', 'rejected', 'full', 'unavailable', 'uncertain'] as const;
export const ATTEMPT_OUTCOMES = ['success', 'retry', 'dead', 'timeout', 'cancelled', 'deferred', 'duplicate'] as const;
export const FINISHED_OUTCOMES = ['succeeded', 'dead', 'expired', 'cancelled'] as const;
export const REDRIVE_MODES = ['same', 'edited'] as const;
export const REDELIVERY_CAUSES = ['claim', 'shutdown', 'manual'] as const;
export const IDEMPOTENCY_RESULTS = ['executed', 'replayed', 'in_flight', 'lease_lost'] as const;
export const OPERATIONS = ['enqueue', 'fetch', 'settle', 'renew', 'reclaim', 'promote', 'prune', 'leave'] as const;
export const COLLECT_TARGETS = ['queues', 'server'] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
export type FinishedOutcome = (typeof FINISHED_OUTCOMES)[number];
/** What stands for a queue or task whose name nobody has declared: names from outside must not make series. */
export const OTHER = 'other';

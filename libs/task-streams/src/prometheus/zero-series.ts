import { DEAD_LETTER_REASONS } from '../task/dead-letter.js';
import {
  ATTEMPT_OUTCOMES,
  COLLECT_TARGETS,
  ENQUEUE_OUTCOMES,
  FINISHED_OUTCOMES,
  IDEMPOTENCY_RESULTS,
  OPERATIONS,
  REDELIVERY_CAUSES,
  REDRIVE_MODES,
} from './label-values.js';
import type { Recording } from './recording.js';

/** What a worker of this release can give as a reason. */
const WRITTEN_REASONS = DEAD_LETTER_REASONS.filter((reason) => reason !== 'unknown');

/**
 * Makes every series that can be known in advance, with 0: a counter that first appears with 1 has no increase, and an
 * alert on it stays silent the first time.
 */
export function makeZeroSeries({ metrics, names }: Recording): void {
  for (const operation of OPERATIONS) metrics.transportErrors.inc({ operation }, 0);
  for (const target of COLLECT_TARGETS) metrics.collectErrors.inc({ target }, 0);
  for (const queue of names.queues) {
    metrics.dropped.inc({ queue }, 0);
    for (const mode of REDRIVE_MODES) metrics.redriven.inc({ queue, mode }, 0);
    for (const cause of REDELIVERY_CAUSES) metrics.redeliveries.inc({ queue, cause }, 0);
    metrics.enqueueDuration.zero({ queue });
  }
  for (const labels of names.pairs()) {
    makeZeroSent(metrics, labels);
    for (const outcome of ATTEMPT_OUTCOMES) metrics.attempts.inc({ ...labels, outcome }, 0);
    for (const outcome of FINISHED_OUTCOMES) metrics.finished.inc({ ...labels, outcome }, 0);
    for (const reason of WRITTEN_REASONS) metrics.deadLetters.inc({ ...labels, reason }, 0);
    for (const result of IDEMPOTENCY_RESULTS) metrics.idempotency.inc({ ...labels, result }, 0);
    metrics.wait.zero(labels);
    metrics.payload.zero(labels);
    metrics.handler.zero({ ...labels, outcome: 'completed' });
    metrics.age.zero({ ...labels, outcome: 'completed' });
  }
}

/** The series of a task that is sent. */
export function makeZeroSent(
  { enqueued }: Recording['metrics'],
  labels: { readonly queue: string; readonly task: string },
): void {
  for (const outcome of ENQUEUE_OUTCOMES) enqueued.inc({ ...labels, outcome }, 0);
}

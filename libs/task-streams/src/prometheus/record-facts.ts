import type { FactListener, FactName, FactOf, Facts } from '../watch/fact.interface.js';
import type { EnqueueFailure } from '../watch/producer-observer.interface.js';
import type { OfTask } from '../watch/task-event.interface.js';
import { OTHER, type EnqueueOutcome } from './label-values.js';
import { recordEnd, recordFinalEnd } from './record-ends.js';
import { taskLabels, type Recording } from './recording.js';
import { makeZeroSent } from './zero-series.js';

/** What a fact adds to the metrics; one that is not here adds nothing. */
const RECORDERS: { readonly [K in FactName]?: (recording: Recording, fact: FactOf<K>) => void } = {
  enqueued(recording, { fields }) {
    learn(recording, fields);
    recordSent(recording, fields, fields.isDuplicate ? 'duplicate' : 'enqueued');
    recording.metrics.payload.observe(taskLabels(recording, fields), fields.payloadBytes);
  },
  'enqueue-failed'(recording, { fields }) {
    learn(recording, fields);
    recordSent(recording, fields, fields.failure);
    if (TRANSPORT_FAILURES.includes(fields.failure)) recording.metrics.transportErrors.inc({ operation: 'enqueue' });
  },
  'enqueue-ended'({ metrics, names }, { fields: { queue, durationMs } }) {
    metrics.enqueueDuration.observe({ queue: names.queue(queue) }, durationMs / 1_000);
  },
  redriven({ metrics, names }, { name, fields }) {
    const queue = names.queue(fields.queue);
    metrics.redriven.inc({ queue, mode: fields.isMended ? 'edited' : 'same' });
    metrics.redeliveries.inc({ queue, cause: name });
  },
  started(recording, { fields }) {
    if (fields.deliveryCount > 1 || fields.attempt > 1) return;
    recording.metrics.wait.observe(taskLabels(recording, fields), fields.waitMs / 1_000);
  },
  completed: recordFinalEnd,
  dead: recordFinalEnd,
  expired: recordFinalEnd,
  cancelled: recordFinalEnd,
  retrying: recordEnd,
  deferred: recordEnd,
  released: recordEnd,
  refused: recordEnd,
  'lease-lost'(recording, { name, fields }) {
    recording.metrics.idempotency.inc({ ...taskLabels(recording, fields), result: name });
  },
  reclaimed({ metrics, names }, { fields: { queue, deliveryCount } }) {
    // A worker that stops releases its deliveries, so a task it never settled looks like a first one.
    const cause = deliveryCount > 1 ? 'reclaimed' : 'released';
    metrics.redeliveries.inc({ queue: names.queue(queue), cause });
  },
  'payload-deleted'({ metrics, names }, { name, fields: { queue, count } }) {
    metrics.deadLetters.inc({ queue: names.queue(queue), task: OTHER, reason: name }, count);
  },
  'dead-letters-dropped'({ metrics, names }, { fields: { queue, count } }) {
    metrics.dropped.inc({ queue: names.queue(queue) }, count);
  },
  'redis-error'({ metrics }, { fields: { operation } }) {
    metrics.transportErrors.inc({ operation });
  },
};

const TRANSPORT_FAILURES: readonly EnqueueFailure[] = ['full', 'unavailable', 'uncertain'];

/** Counts what happens. */
export function recorderOf(recording: Recording): FactListener {
  return {
    hears: (name) => RECORDERS[name] !== undefined,
    tell: (fact) => (RECORDERS[fact.name] as (recording: Recording, fact: unknown) => void)(recording, fact),
  };
}

function recordSent(recording: Recording, task: OfTask, outcome: EnqueueOutcome): void {
  const labels = taskLabels(recording, task);
  recording.metrics.enqueued.inc({ queue: labels.queue, task: labels.task, outcome });
}

/** A sender declares no handlers; the first task by a contract, whatever becomes of it, makes its series. */
function learn({ metrics, names }: Recording, sent: Facts['enqueued' | 'enqueue-failed']): void {
  const { queue, task, isContract } = sent;
  if (isContract && queue !== '' && names.learn(queue, task)) makeZeroSent(metrics, { queue, task });
}

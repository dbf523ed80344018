import type { EnqueueFailure, ProducerEvent } from '../watch/producer-observer.interface.js';
import type { WorkerEvent } from '../watch/worker-observer.interface.js';
import { OTHER } from './label-values.js';
import { recordSettled } from './record-settled.js';
import type { Recording } from './recording.js';
import { makeZeroSent } from './zero-series.js';

/** Counts what a worker did. */
export function recordWorkerEvent(recording: Recording, event: WorkerEvent): void {
  const { metrics, names } = recording;
  switch (event.kind) {
    case 'started': {
      const { queue, name, entryId, claimedAt, deliveryCount, failedAttempts } = event.delivery;
      if (deliveryCount > 1 || failedAttempts > 0) return;
      // An entry is made when its task can be run: at once, or when a delayed task is due. Its id begins with that time.
      const waitMs = Math.max(claimedAt - Number.parseInt(entryId, 10), 0);
      metrics.wait.observe({ queue: names.queue(queue), task: names.task(name) }, waitMs / 1_000);
      return;
    }
    case 'settled':
      return recordSettled(recording, event);
    case 'lease-lost': {
      const { queue, name } = event.delivery;
      metrics.idempotency.inc({ queue: names.queue(queue), task: names.task(name), result: 'lease_lost' });
      return;
    }
    case 'reclaimed': {
      const { queue, deliveryCount } = event.delivery;
      // A worker that stops gives its hand-outs back, so a task it never settled looks like a first one.
      const cause = deliveryCount > 1 ? 'claim' : 'shutdown';
      metrics.redeliveries.inc({ queue: names.queue(queue), cause });
      return;
    }
    case 'payload-deleted':
      metrics.deadLetters.inc({ queue: names.queue(event.queue), task: OTHER, reason: event.kind }, event.count);
      return;
    case 'dead-letters-dropped':
      metrics.dropped.inc({ queue: names.queue(event.queue) }, event.count);
      return;
    case 'redis-error':
      metrics.transportErrors.inc({ operation: event.operation });
      return;
    default:
  }
}

const TRANSPORT_FAILURES: readonly EnqueueFailure[] = ['full', 'unavailable', 'uncertain'];

/** Counts what was sent. */
export function recordProducerEvent({ metrics, names }: Recording, event: ProducerEvent): void {
  if ('isContract' in event && event.isContract) learn({ metrics, names }, event.queue, nameOf(event));
  switch (event.kind) {
    case 'enqueued': {
      const { queue, item, isDuplicate } = event;
      const labels = { queue: names.queue(queue), task: names.task(item.name) };
      metrics.enqueued.inc({ ...labels, outcome: isDuplicate ? 'duplicate' : 'ok' });
      metrics.payload.observe(labels, Buffer.byteLength(item.body));
      return;
    }
    case 'enqueue-failed': {
      const { queue, name, failure } = event;
      metrics.enqueued.inc({ queue: names.queue(queue), task: names.task(name), outcome: failure });
      if (TRANSPORT_FAILURES.includes(failure)) metrics.transportErrors.inc({ operation: 'enqueue' });
      return;
    }
    case 'enqueue-ended':
      metrics.enqueueDuration.observe({ queue: names.queue(event.queue) }, event.durationMs / 1_000);
      return;
    case 'redriven': {
      const queue = names.queue(event.queue);
      metrics.redriven.inc({ queue, mode: event.isMended ? 'edited' : 'same' });
      metrics.redeliveries.inc({ queue, cause: 'manual' });
      return;
    }
  }
}

type Sent = Extract<ProducerEvent, { kind: 'enqueued' | 'enqueue-failed' }>;

function nameOf(event: Sent): string {
  return event.kind === 'enqueued' ? event.item.name : event.name;
}

/** A sender declares no handlers; the first task by a contract, whatever becomes of it, makes its series. */
function learn({ metrics, names }: Recording, queue: string | undefined, task: string): void {
  if (queue !== undefined && names.learn(queue, task)) makeZeroSent(metrics, { queue, task });
}

import type { Delivery } from '../contracts/work-store.interface.js';
import type { ProducerEvent } from './producer-observer.interface.js';
import type { TaskEvent } from './task-event.interface.js';
import type { WorkerEvent } from './worker-observer.interface.js';
import { deadLetterOfDelivery } from '../task/dead-letter-of.js';
import { describeError } from '../task/error-description.js';

type Settled = Extract<WorkerEvent, { kind: 'settled' }>;

/**
 * What an event of a worker is called in public; `undefined` where there is nothing to tell.
 *
 * @param maxHeaders The most headers that are read of a dead letter.
 */
export function ofWorker(event: WorkerEvent, maxHeaders: number): TaskEvent | undefined {
  switch (event.kind) {
    case 'settled':
      return ofSettled(event, maxHeaders);
    case 'started': {
      const { claimedAt, entryId } = event.delivery;
      return {
        kind: 'started',
        ...facts(event.delivery),
        waitMs: Math.max(claimedAt - Number.parseInt(entryId, 10), 0),
      };
    }
    case 'reclaimed':
      return { kind: event.kind, ...facts(event.delivery), previousOwner: event.previousOwner };
    case 'lease-lost':
    case 'abandoned':
      return { kind: event.kind, ...facts(event.delivery) };
    case 'stuck':
      return { kind: event.kind, ...facts(event.delivery), abandonedMs: event.abandonedMs };
    // Not for applications: the log and health tell it.
    case 'suspect':
      return undefined;
    case 'redis-error':
      return { ...event, error: describeError(event.error) };
    case 'lease-late':
    case 'payload-deleted':
    case 'dead-letters-dropped':
    case 'redis-recovered':
      return event;
  }
}

/** What an event of a producer is called in public; `undefined` where there is nothing to tell. */
export function ofProducer(event: ProducerEvent): TaskEvent | undefined {
  switch (event.kind) {
    case 'enqueued': {
      const { queue, item, isDuplicate } = event;
      return { kind: 'enqueued', queue, task: item.name, taskId: item.id, isDuplicate };
    }
    case 'enqueue-failed': {
      const { kind, queue = '', name, taskId = '', failure, error } = event;
      return { kind, queue, task: name, taskId, failure, error: describeError(error) };
    }
    case 'redriven': {
      const { kind, queue, name, taskId, isMended } = event;
      return { kind, queue, task: name, taskId, isMended };
    }
    case 'enqueue-ended':
      return undefined;
  }
}

function ofSettled({ delivery, outcome, reply, durationMs }: Settled, maxHeaders: number): TaskEvent | undefined {
  const task = facts(delivery);
  if (reply.kind === 'fenced') return { kind: 'lease-lost', ...task };
  // It is in nobody's hands, or somebody else will settle it.
  if (reply.kind === 'refused' || reply.kind === 'gone') return undefined;
  switch (outcome.kind) {
    case 'complete':
      return { kind: 'completed', ...task, durationMs, isReplay: outcome.replayed };
    case 'retry': {
      const { meta, delayMs: nextDelayMs, error } = outcome;
      return { kind: 'retried', ...task, attempt: meta.failedAttempts, durationMs, nextDelayMs, error };
    }
    case 'defer':
      return { kind: 'deferred', ...task, nextDelayMs: outcome.delayMs, why: outcome.why };
    case 'dead-letter': {
      const { failedAttempts, reason, error } = outcome.info;
      const letter = deadLetterOfDelivery(delivery, outcome, maxHeaders);
      return { kind: 'dead-lettered', ...task, attempt: failedAttempts, durationMs, reason, error, letter };
    }
    case 'expired': {
      const { failedAttempts, error } = outcome;
      return { kind: 'expired', ...task, attempt: Math.max(failedAttempts, 1), error };
    }
    case 'cancel': {
      const { reason, by } = outcome.request;
      return { kind: 'cancelled', ...task, durationMs, reason, by };
    }
    case 'release':
      return { kind: 'released', ...task };
    case 'lost':
      return undefined;
  }
}

function facts({ queue, name, taskId, entryId, failedAttempts, deliveryCount }: Delivery) {
  return { queue, task: name, taskId, entryId, attempt: failedAttempts + 1, deliveryCount };
}

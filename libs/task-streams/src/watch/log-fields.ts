import type { Delivery } from '../contracts/work-store.interface.js';
import type { TraceIds } from '../contracts/task-tracing.interface.js';
import type { WorkerEvent } from './worker-observer.interface.js';
import type { ErrorDescription } from '../task/error-description.js';
import { assertNever, type TaskOutcome } from '../task/task-outcome.js';

/** What a line can be about: the values of its field `event`. The dead-letter service writes those about redrives. */
export const LOG_EVENTS = [
  'task.enqueued',
  'task.started',
  'task.succeeded',
  'task.duplicate',
  'task.retry_scheduled',
  'task.deferred',
  'task.dead_lettered',
  'task.expired',
  'task.cancelled',
  'task.released',
  'task.claimed',
  'task.lease_lost',
  'task.abandoned',
  'task.suspect',
  'task.stuck',
  'task.refused',
  'task.redriven',
  'task.payload_deleted',
  'dead_letter.redriven',
  'dead_letter.dropped',
  'lease.late',
  'redis.error',
  'redis.recovered',
] as const;

export type LogEvent = (typeof LOG_EVENTS)[number];

/** Who writes the line. */
export interface LogSource {
  /** The name of this worker. */
  readonly consumer: string;
  readonly traceOf: ((delivery: Delivery) => TraceIds | undefined) | undefined;
}

/** The fields of every line about a task. */
export function taskFields(event: LogEvent, delivery: Delivery, { consumer, traceOf }: LogSource): object {
  const { taskId, queue, entryId, deliveryCount, failedAttempts } = delivery;
  return {
    event,
    taskId,
    task: taskOf(delivery),
    queue,
    entryId,
    consumer,
    attempt: failedAttempts + 1,
    deliveryCount,
    ...traceOf?.(delivery),
  };
}

/** How an outcome is called in a line. */
export function eventOf(outcome: TaskOutcome): LogEvent {
  switch (outcome.kind) {
    case 'complete':
      return outcome.replayed ? 'task.duplicate' : 'task.succeeded';
    case 'retry':
      return 'task.retry_scheduled';
    case 'defer':
      return 'task.deferred';
    case 'dead-letter':
      return 'task.dead_lettered';
    case 'expired':
      return 'task.expired';
    case 'cancel':
      return 'task.cancelled';
    case 'release':
      return 'task.released';
    case 'lost':
      return 'task.lease_lost';
    default:
      return assertNever(outcome);
  }
}

/** What an outcome adds. */
export function outcomeFields(outcome: TaskOutcome): object {
  switch (outcome.kind) {
    case 'retry': {
      const { meta, delayMs: nextDelayMs, error } = outcome;
      return { attempt: meta.failedAttempts, nextDelayMs, ...errorFields(error) };
    }
    case 'defer':
      return { nextDelayMs: outcome.delayMs, reason: outcome.why, ...expectedField(outcome) };
    case 'dead-letter': {
      const { failedAttempts: attempt, reason, error } = outcome.info;
      return { attempt, reason, ...errorFields(error), ...expectedField(outcome) };
    }
    case 'cancel':
      return { reason: outcome.request.reason, by: outcome.request.by };
    case 'expired':
      return { attempt: outcome.failedAttempts, ...errorFields(outcome.error) };
    default:
      return {};
  }
}

/** How long a task that starts has waited since it could be run, in milliseconds. */
export function waitFields({ delivery }: Extract<WorkerEvent, { kind: 'started' }>): object {
  return { waitMs: Math.max(delivery.claimedAt - Number.parseInt(delivery.entryId, 10), 0) };
}

/** Cut, because a name that another program wrote may be of any length. */
export function taskOf(delivery: Delivery): string {
  return delivery.name.slice(0, 256);
}

/** An outcome that the options call no failure. */
function expectedField({ expected }: { readonly expected?: true }): object {
  return expected ? { expected } : {};
}

function errorFields(error: ErrorDescription | undefined): object {
  if (error === undefined) return {};
  return { errorType: error.name, ...(error.code === undefined ? {} : { errorCode: error.code }) };
}

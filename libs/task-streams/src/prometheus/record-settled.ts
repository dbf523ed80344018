import type { Delivery } from '../contracts/work-store.interface.js';
import type { WorkerEvent } from '../watch/worker-observer.interface.js';
import type { DeadLetterOutcome, TaskOutcome } from '../task/task-outcome.js';
import type { AttemptOutcome, FinishedOutcome } from './label-values.js';
import type { Recording } from './recording.js';

type Settled = Extract<WorkerEvent, { kind: 'settled' }>;
type Names = { readonly queue: string; readonly task: string };

/** Counts an attempt, and where it was the last one, the end of its task. */
export function recordSettled(recording: Recording, event: Settled): void {
  const { metrics, names } = recording;
  const { delivery, outcome, reply, durationMs } = event;
  const labels: Names = { queue: names.queue(delivery.queue), task: names.task(delivery.name) };
  if (reply.kind === 'fenced') {
    metrics.idempotency.inc({ ...labels, result: 'lease_lost' });
    return;
  }
  const attempt = attemptOutcome(delivery, outcome, durationMs);
  if (attempt !== undefined) {
    metrics.attempts.inc({ ...labels, outcome: attempt });
    metrics.handler.observe({ ...labels, outcome: attempt }, durationMs / 1_000);
  }
  // Attempts inside the worker come together with the last one.
  const earlier = Math.max(failedAttempts(outcome) - delivery.failedAttempts - 1, 0);
  if (earlier > 0) metrics.attempts.inc({ ...labels, outcome: 'retry' }, earlier);
  recordIdempotency(recording, labels, outcome);
  if (reply.kind === 'done' || reply.kind === 'already') recordEnd(recording, labels, event);
}

function recordEnd({ metrics, names }: Recording, labels: Names, { delivery, outcome, durationMs }: Settled): void {
  const end = finishedOutcome(outcome);
  if (end === undefined) return;
  metrics.finished.inc({ ...labels, outcome: end });
  const ageMs = Math.max(delivery.claimedAt - delivery.enqueuedAt, 0) + durationMs;
  metrics.age.observe({ ...labels, outcome: end }, ageMs / 1_000);
  if (outcome.kind === 'dead-letter') metrics.deadLetters.inc({ ...labels, reason: outcome.info.reason });
  if (outcome.kind !== 'complete') return;
  for (const { queue, item } of outcome.followUps) {
    const child = { queue: names.queue(queue), task: names.task(item.name) };
    metrics.enqueued.inc({ ...child, outcome: 'ok' });
    metrics.payload.observe(child, Buffer.byteLength(item.body));
  }
}

function recordIdempotency({ metrics }: Recording, labels: Names, outcome: TaskOutcome): void {
  if (outcome.kind === 'complete')
    metrics.idempotency.inc({ ...labels, result: outcome.replayed ? 'replayed' : 'executed' });
  else if (outcome.kind === 'defer' && outcome.isBusy) metrics.idempotency.inc({ ...labels, result: 'in_flight' });
}

/** What the attempt came to; `undefined` where no attempt was made. */
function attemptOutcome(delivery: Delivery, outcome: TaskOutcome, durationMs: number): AttemptOutcome | undefined {
  switch (outcome.kind) {
    case 'complete':
      return outcome.replayed ? 'duplicate' : 'success';
    case 'retry':
      return outcome.error.name === 'TaskTimeoutError' ? 'timeout' : 'retry';
    case 'dead-letter':
      return lastAttemptOutcome(delivery, outcome);
    case 'expired':
      return outcome.failedAttempts > delivery.failedAttempts ? 'dead' : undefined;
    case 'defer':
      return 'deferred';
    case 'cancel':
    case 'release':
      return durationMs > 0 ? 'cancelled' : undefined;
    case 'lost':
      return undefined;
  }
}

/** A task that is given up before its handler runs (nobody knows it, it cannot be read) has made no attempt. */
function lastAttemptOutcome(delivery: Delivery, { info }: DeadLetterOutcome): AttemptOutcome | undefined {
  if (info.failedAttempts <= delivery.failedAttempts) return undefined;
  return info.reason === 'timeout' ? 'timeout' : 'dead';
}

function failedAttempts(outcome: TaskOutcome): number {
  if (outcome.kind === 'retry') return outcome.meta.failedAttempts;
  if (outcome.kind === 'expired') return outcome.failedAttempts;
  return outcome.kind === 'dead-letter' ? outcome.info.failedAttempts : 0;
}

function finishedOutcome(outcome: TaskOutcome): FinishedOutcome | undefined {
  if (outcome.kind === 'complete') return 'succeeded';
  if (outcome.kind === 'expired') return 'expired';
  if (outcome.kind === 'cancel') return 'cancelled';
  return outcome.kind === 'dead-letter' ? 'dead' : undefined;
}

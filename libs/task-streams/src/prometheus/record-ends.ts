import type { FactOf } from '../watch/fact.interface.js';
import type { AttemptOutcome, FinishedOutcome } from './label-values.js';
import { taskLabels, type Recording } from './recording.js';

type Final = FactOf<FinishedOutcome>;
type End = Final | FactOf<'retrying' | 'deferred' | 'released' | 'refused'>;

// Labels are written out: a spread is dearer than the counter.

/** Counts an attempt that came to its end. */
export function recordEnd(recording: Recording, fact: End): void {
  const { metrics } = recording;
  const { fields } = fact;
  const { queue, task } = taskLabels(recording, fields);
  if (fields.hasRun) {
    const outcome = attemptOutcome(fact);
    metrics.attempts.inc({ queue, task, outcome });
    metrics.handler.observe({ queue, task, outcome }, fields.durationMs / 1_000);
  }
  if ('isReplay' in fields) metrics.idempotency.inc({ queue, task, result: fields.isReplay ? 'replayed' : 'executed' });
  if ('isBusy' in fields && fields.isBusy) metrics.idempotency.inc({ queue, task, result: 'busy' });
}

/** Counts the last attempt of a task, and its end. */
export function recordFinalEnd(recording: Recording, fact: Final): void {
  recordEnd(recording, fact);
  const { metrics, names } = recording;
  const { name: outcome, fields } = fact;
  const { queue, task } = taskLabels(recording, fields);
  metrics.finished.inc({ queue, task, outcome });
  metrics.age.observe({ queue, task, outcome }, fields.ageMs / 1_000);
  if ('isExpected' in fields) metrics.deadLetters.inc({ queue, task, reason: fields.reason });
  if (fact.outcome === undefined || !('followUps' in fact.outcome)) return;
  for (const { queue: to, item } of fact.outcome.followUps) {
    const child = { queue: names.queue(to), task: names.task(item.name) };
    metrics.enqueued.inc({ ...child, outcome: 'enqueued' });
    metrics.payload.observe(child, Buffer.byteLength(item.body));
  }
}

/** The name of the fact; within it, what did not run and what was too slow are told apart. */
function attemptOutcome({ name, fields }: End): AttemptOutcome {
  if ('isReplay' in fields && fields.isReplay) return 'replayed';
  return 'error' in fields && fields.error?.name === 'TaskTimeoutError' ? 'timeout' : name;
}

import type { FactOf } from '../watch/fact.interface.js';
import type { AttemptOutcome, FinishedOutcome } from './label-values.js';
import { taskLabels, type Recording } from './recording.js';

type Final = FactOf<FinishedOutcome>;
type End = Final | FactOf<'retrying' | 'deferred' | 'released' | 'refused'>;

/** Counts an attempt that came to its end. */
export function recordEnd(recording: Recording, fact: End): void {
  const { metrics } = recording;
  const { fields } = fact;
  const labels = taskLabels(recording, fields);
  if (fields.hasRun) {
    const outcome = attemptOutcome(fact);
    metrics.attempts.inc({ ...labels, outcome });
    metrics.handler.observe({ ...labels, outcome }, fields.durationMs / 1_000);
  }
  if ('isReplay' in fields) metrics.idempotency.inc({ ...labels, result: fields.isReplay ? 'replayed' : 'executed' });
  if ('isBusy' in fields && fields.isBusy) metrics.idempotency.inc({ ...labels, result: 'busy' });
}

/** Counts the last attempt of a task, and its end. */
export function recordFinalEnd(recording: Recording, fact: Final): void {
  recordEnd(recording, fact);
  const { metrics, names } = recording;
  const { name: outcome, fields } = fact;
  const labels = taskLabels(recording, fields);
  metrics.finished.inc({ ...labels, outcome });
  metrics.age.observe({ ...labels, outcome }, fields.ageMs / 1_000);
  if ('isExpected' in fields) metrics.deadLetters.inc({ ...labels, reason: fields.reason });
  if (fact.outcome === undefined || !('followUps' in fact.outcome)) return;
  for (const { queue, item } of fact.outcome.followUps) {
    const child = { queue: names.queue(queue), task: names.task(item.name) };
    metrics.enqueued.inc({ ...child, outcome: 'enqueued' });
    metrics.payload.observe(child, Buffer.byteLength(item.body));
  }
}

/** The name of the fact; within it, what did not run and what was too slow are told apart. */
function attemptOutcome({ name, fields }: End): AttemptOutcome {
  if ('isReplay' in fields && fields.isReplay) return 'replayed';
  return 'error' in fields && fields.error?.name === 'TaskTimeoutError' ? 'timeout' : name;
}

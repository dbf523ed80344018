import { Logger } from '@nestjs/common';
import type { DeadLetterSink } from '../contracts/dead-letter-sink.interface.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { deadLetterOf } from '../task/dead-letter-of.js';
import type { DeadLetterOutcome } from '../task/task-outcome.js';
import { withDeadline } from '../time/with-deadline.js';
import type { RecordedFailure, TaskRun } from './task-run.js';

/** How long a sink is waited for, in milliseconds: the task has its slot until then. */
const SINK_MS = 10_000;

const logger = new Logger('DeadLetters');

/**
 * Offers the dead letter of a failed run to the sink, if the failure is one to give up at, and once only. Never throws.
 *
 * @returns The failure, with what is left to do about the dead letter.
 */
export async function offerDeadLetter(
  run: TaskRun,
  failure: RecordedFailure,
  sink: DeadLetterSink,
): Promise<RecordedFailure> {
  const { outcome } = failure;
  if (outcome.kind !== 'dead-letter' || failure.isOffered || run.isClosed) return failure;
  const keep = run.input.policy.keepsDeadLetters;
  // Decided before the sink is asked: a sink that takes longer than the attempt may does not change the reason.
  const kept: RecordedFailure = { error: failure.error, outcome: { ...outcome, keep }, isOffered: true };
  run.fail(kept);
  if (!(await isTaken(sink, letterOf(run, outcome)))) return kept;
  const taken: RecordedFailure = { ...kept, outcome: { ...outcome, keep: false } };
  run.fail(taken);
  return taken;
}

/**
 * Whether a sink took a dead letter for good, so that the stream need not keep it. A sink that throws, or does not answer
 * within ten seconds, has not.
 */
export async function isTaken(sink: DeadLetterSink, letter: DeadLetter): Promise<boolean> {
  try {
    const late = (): Error => new Error(`it did not answer within ${SINK_MS} ms`);
    await withDeadline(sink.take(letter), SINK_MS, late);
    return sink.replacesStream;
  } catch (error) {
    const place = letter.taskId || letter.sourceEntryId;
    logger.error(`Task ${place}: the dead-letter sink failed; the letter is kept in the stream`, error);
    return false;
  }
}

/** The dead letter of a run that is given up. */
export function letterOf(run: TaskRun, outcome: DeadLetterOutcome): DeadLetter {
  const { delivery, envelope } = run.input;
  return deadLetterOf(delivery, envelope, outcome);
}

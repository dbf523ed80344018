import { Logger } from '@nestjs/common';
import type { DeadLetterSink } from '../contracts/dead-letter-sink.interface.js';
import { derivedParts, type DeadLetter } from '../task/dead-letter.js';
import type { DeadLetterOutcome } from '../task/task-outcome.js';
import type { RecordedFailure, TaskRun } from './task-run.js';

const logger = new Logger('DeadLetters');

/**
 * Offers the letter of a failed run to the sink, if the failure is one to give up at, and once only. Never throws.
 *
 * @returns The failure, with what is left to do about the letter.
 */
export async function setAside(run: TaskRun, failure: RecordedFailure, sink: DeadLetterSink): Promise<RecordedFailure> {
  const { outcome } = failure;
  if (outcome.kind !== 'dead-letter' || failure.isSetAside || run.isClosed) return failure;
  const isTaken = await takes(sink, letterOf(run, outcome));
  const keep = run.input.policy.keepsDeadLetters && !isTaken;
  const settled: RecordedFailure = { error: failure.error, outcome: { ...outcome, keep }, isSetAside: true };
  run.fail(settled);
  return settled;
}

/** Whether a sink took a letter for good, so that the stream need not keep it. A sink that throws has not. */
export async function takes(sink: DeadLetterSink, letter: DeadLetter): Promise<boolean> {
  try {
    await sink.take(letter);
    return sink.replacesStream;
  } catch (error) {
    logger.error(
      `Task ${letter.taskId || letter.sourceEntryId}: the dead-letter sink threw; the letter is kept in the stream`,
      error,
    );
    return false;
  }
}

/** The letter of a run that is given up. */
export function letterOf(run: TaskRun, outcome: DeadLetterOutcome): DeadLetter {
  const { delivery, envelope } = run.input;
  return {
    ...outcome.info,
    entryId: undefined,
    queue: delivery.queue,
    taskId: envelope.id,
    name: envelope.name,
    sourceEntryId: delivery.entryId,
    idempotencyKey: envelope.idempotencyKey,
    headers: envelope.headers,
    body: envelope.body,
    ...derivedParts(envelope.headers, outcome.info.history),
  };
}

import { Logger } from '@nestjs/common';
import type { RedriveReply } from '../contracts/dead-letter-store.interface.js';
import type { LetterActionReport } from './letter-action.js';

const logger = new Logger('DeadLetters');

/** A letter that went back alone. */
export function logRedriven(
  queue: string,
  { taskId, name, entryId }: Extract<RedriveReply, { kind: 'moved' }>,
  isMended: boolean,
): void {
  logger.log(`Task ${name} ${taskId} was redriven${isMended ? ' with another payload' : ''}`, {
    event: 'task.redriven',
    taskId,
    task: name,
    queue,
    entryId,
    isMended,
  });
}

/** One line for all letters of an action, wherever it ended: a line for each could be a hundred thousand. */
export function logManyRedriven(
  queue: string,
  by: string,
  { done: count, refused: refusedCount, failed: failedCount }: LetterActionReport,
): void {
  const left = refusedCount + failedCount;
  logger.log(
    `Queue "${queue}": ${count} dead letters were redriven by ${by}${left === 0 ? '' : `; ${left} stay where they are`}`,
    { event: 'dead_letter.redriven', queue, by, count, refusedCount, failedCount },
  );
}

import { Logger } from '@nestjs/common';
import type { RedriveReply } from '../contracts/dead-letter-store.interface.js';
import { factBy } from '../watch/fact-of.js';
import { writeLine } from '../watch/write-line.js';
import type { LetterActionReport } from './letter-action.js';

const logger = new Logger('DeadLetters');

/** A letter that went back alone. */
export function logRedriven(
  queue: string,
  { taskId, name, entryId }: Extract<RedriveReply, { kind: 'moved' }>,
  isMended: boolean,
): void {
  writeLine(logger, factBy('redriven', { queue, task: name, taskId, entryId, isMended }));
}

/** One line for all letters of an action, wherever it ended: a line for each could be a hundred thousand. */
export function logManyRedriven(
  queue: string,
  by: string,
  { done: count, refused: refusedCount, failed: failedCount }: LetterActionReport,
): void {
  writeLine(logger, factBy('dead-letters-redriven', { queue, by, count, refusedCount, failedCount }));
}

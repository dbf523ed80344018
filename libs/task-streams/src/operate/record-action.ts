import { Logger } from '@nestjs/common';
import type { ActionLog, ManualAction } from './action-log.interface.js';

const logger = new Logger('TaskStreams');

/** Tells the log what was done. It is done by then: an error of the log is the log's own affair. */
export async function recordAction(log: ActionLog | undefined, action: ManualAction): Promise<void> {
  try {
    await log?.record(action);
  } catch (error) {
    logger.error(`Queue "${action.queue}": ${action.action} was done, and could not be written down`, error);
  }
}

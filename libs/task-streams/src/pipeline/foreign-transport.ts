import { Logger } from '@nestjs/common';

const logger = new Logger('TaskStreams');
/** For the whole process, like the log it keeps from being flooded. */
const warned = new Set<string>();

/** Says once that a piece is bound where no task runs, and lets the call through. */
export function warnOutsideTask(piece: string): void {
  if (warned.has(piece)) return;
  warned.add(piece);
  logger.warn(`${piece} does nothing here: the call is not a task. Bind it to methods with @TaskHandler only.`);
}

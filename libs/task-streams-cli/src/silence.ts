import { Logger, type LoggerService } from '@nestjs/common';

/**
 * The services of the library write log lines through Nest's logger, for an application. Here only what went wrong is worth
 * a line, and it must not come between answers.
 */
export function keepLogOffAnswers(notes: NodeJS.WritableStream = process.stderr): void {
  const note = (message: unknown): void => {
    notes.write(`task-streams: ${String(message)}\n`);
  };
  const quiet: LoggerService = { log: () => undefined, warn: note, error: note, fatal: note };
  Logger.overrideLogger(quiet);
}

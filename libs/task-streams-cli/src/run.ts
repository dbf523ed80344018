import { CommanderError, type Command } from 'commander';
import { withoutCredentials } from 'nestjs-task-streams/admin';
import { exitCodeOf, type ExitCode } from './exit-code.js';
import { cleanLines } from './output/clean.js';
import { paintFor } from './output/colour.js';
import { createProgram } from './program.js';

/**
 * Runs the program with its arguments, those of a shell without the first two. What goes wrong is one line on the standard
 * error.
 *
 * @returns what the process is to end with.
 */
export async function run(args: readonly string[]): Promise<ExitCode> {
  const program = createProgram();
  try {
    process.exitCode = 0;
    await program.parseAsync([...args], { from: 'user' });
    return process.exitCode as ExitCode;
  } catch (error) {
    // Commander has said it already.
    if (!(error instanceof CommanderError)) say(error, program);
    return exitCodeOf(error);
  }
}

function say(error: unknown, program: Command): void {
  const fault = error instanceof Error ? error : new Error(String(error));
  const paint = paintFor(process.stderr);
  const isDebugging = program.opts<{ readonly debug?: boolean }>().debug === true;
  const text = isDebugging ? (fault.stack ?? fault.message) : fault.message;
  process.stderr.write(`${paint('red', 'error:')} ${cleanLines(withoutCredentials(text))}\n`);
  if (isDebugging && fault.cause instanceof Error)
    process.stderr.write(`cause: ${cleanLines(withoutCredentials(fault.cause.stack ?? ''))}\n`);
}

import { userInfo } from 'node:os';
import { Option, type Command } from 'commander';

/** Options that every command has. */
export interface Settings {
  readonly url: string;
  readonly prefix: string;
  readonly json: boolean;
  readonly debug: boolean;
}

/** Options of commands that change something. */
export interface WhoOptions {
  readonly by: string;
  readonly because?: string;
}

/** Adds the options of every command to the program. */
export function addSettings(program: Command): Command {
  return program
    .addOption(new Option('--url <url>', 'where Redis is').env('REDIS_URL').default('redis://localhost:6379'))
    .addOption(new Option('--prefix <prefix>', 'what every key begins with').env('TASK_STREAMS_PREFIX').default('ts'))
    .option('--json', 'answer as JSON', false)
    .option('--debug', 'show where an error came from', false);
}

/** Adds who does it and why, which go into the audit log. */
export function addWho(command: Command): Command {
  return command
    .addOption(
      new Option('--by <name>', 'who does it, for the audit log')
        .env('TASK_STREAMS_BY')
        .default(osUser(), 'the user of this system'),
    )
    .option('--because <text>', 'why, for the audit log');
}

/** Adds the answer to a question that would be asked. */
export function addYes(command: Command): Command {
  return command.option('-y, --yes', 'do not ask', false);
}

/** What the library is told of who does it. */
export function actorOf({ by, because }: WhoOptions): { readonly actor: string; readonly reason?: string } {
  return { actor: by, ...(because === undefined ? {} : { reason: because }) };
}

/** A user without an entry in the list of users, as in some containers, has a number only. */
function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env['USER'] ?? `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

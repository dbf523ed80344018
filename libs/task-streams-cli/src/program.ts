import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { withoutCredentials } from 'nestjs-task-streams/admin';
import { addAudit } from './commands/audit.js';
import { addDlq } from './commands/dlq.js';
import { addDoctor } from './commands/doctor.js';
import { addEvents } from './commands/events.js';
import { addQueues } from './commands/queues.js';
import { addStats } from './commands/stats.js';
import { addTasks } from './commands/tasks.js';
import { addWorkers } from './commands/workers.js';
import { addSettings } from './settings.js';

const EXIT_CODES = `
Exit codes:
  0    it is done, or all is well
  1    the answer is no: not found, refused, a condition met, something failed
  2    wrong usage
  3    Redis cannot be reached, or does not let this user in
  130  stopped by Ctrl-C`;

/** The whole command line. It throws where commander would end the process. */
export function createProgram(): Command {
  const program = addSettings(new Command('task-streams'))
    .description('Looks after the queues of nestjs-task-streams. It needs Redis and nothing else.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EXIT_CODES);
  const addAll = [addStats, addQueues, addTasks, addDlq, addWorkers, addEvents, addAudit, addDoctor];
  for (const add of addAll) add(program);
  adjust(program);
  return program;
}

/** Every command says the options of the program, too, and how to learn more after a mistake. */
function adjust(command: Command): void {
  command
    .exitOverride()
    // It repeats what it does not understand, and a URL may have ended up there.
    .configureOutput({ outputError: (text, write) => write(withoutCredentials(text)) })
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
    .helpOption('-h, --help', 'print this help');
  const name = pathOf(command);
  command.showHelpAfterError(`See: ${name} --help`);
  for (const child of command.commands) adjust(child);
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** It lies above this file, in the bundle farther than in the sources. */
function readVersion(): string {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    const file = new URL('package.json', folder);
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
  }
}

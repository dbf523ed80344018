import type { Command } from 'commander';
import { openTaskStreams, type TaskStreamsAdmin } from 'nestjs-task-streams/admin';
import type { QueueOptions } from 'nestjs-task-streams';
import type { ExitCode } from './exit-code.js';
import { Output } from './output/output.js';
import type { Settings } from './settings.js';

/** What a command works with. */
export interface Context {
  readonly admin: TaskStreamsAdmin;
  readonly out: Output;
  /** Aborts at the first Ctrl-C from when it is asked for; a second one ends the program at once. */
  readonly interrupted: () => AbortSignal;
}

/** What a command does; 0 where it answers nothing. */
export type Work<O, A extends readonly unknown[]> = (
  context: Context,
  options: O,
  ...args: A
) => Promise<ExitCode | void>;

interface WorkSettings {
  /** Options of queues, for what depends on them. */
  readonly queues?: (...args: never[]) => Readonly<Record<string, QueueOptions>>;
}

/**
 * The action of a command: opens what it needs, makes sure that Redis answers, does the work, closes. Errors go to whoever
 * parses.
 */
export function action<O, A extends readonly unknown[]>(
  work: Work<O, A>,
  { queues }: WorkSettings = {},
): (this: Command, ...all: unknown[]) => Promise<void> {
  return async function run(this: Command, ...all: unknown[]): Promise<void> {
    // Commander adds the options and the command itself.
    const args = all.slice(0, -2) as unknown as A;
    const settings = this.optsWithGlobals<Settings & O>();
    const own = queues === undefined ? {} : { queues: queues(...(args as unknown as never[])) };
    const admin = openTaskStreams({ connection: { url: settings.url }, prefix: settings.prefix, ...own });
    try {
      await admin.ping();
      const context: Context = { admin, out: new Output(settings.json), interrupted: abortOnInterrupt };
      process.exitCode = (await work(context, settings, ...args)) ?? 0;
    } finally {
      await admin.close();
    }
  };
}

function abortOnInterrupt(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

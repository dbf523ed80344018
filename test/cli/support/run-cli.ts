import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../../libs/task-streams-cli/src/run.js';
import { keepLogOffAnswers } from '../../../libs/task-streams-cli/src/silence.js';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The answer as JSON; throws where it is none. */
  json<T>(): T;
}

export interface CliOptions {
  readonly url: string;
  readonly prefix?: string;
  /** Given to the standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The variables that the program is started with. */
export function variablesOf({ url, prefix = 'ts', env }: CliOptions): Readonly<Record<string, string>> {
  return { REDIS_URL: url, TASK_STREAMS_PREFIX: prefix, TASK_STREAMS_BY: 'spec', ...env };
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the program to its end in this process, which is ten times as fast as to start it: what starts it, its bundle and
 * signals are for `built-cli.ts`. One run at a time, because each has the streams and the variables of the process.
 */
export function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const result = last.then(() => runAlone(args, options));
  last = result.catch(() => undefined);
  return result;
}

async function runAlone(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const streams = {
    stdin: Readable.from(wordsOf(options.input)),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const written = Promise.all([text(streams.stdout), text(streams.stderr)]);
  const restore = lend(streams, variablesOf(options));
  let code: number;
  try {
    keepLogOffAnswers(streams.stderr);
    code = await run(args);
  } finally {
    restore();
    streams.stdout.end();
    streams.stderr.end();
  }
  const [stdout, stderr] = await written;
  return { code, stdout, stderr, json: <T>() => JSON.parse(stdout) as T };
}

function wordsOf(input: string | undefined): Buffer[] {
  return input === undefined ? [] : [Buffer.from(input)];
}

/** Gives the process other streams and variables, and answers what takes them back. */
function lend(streams: Readonly<Record<string, unknown>>, variables: Readonly<Record<string, string>>): () => void {
  const { env, exitCode } = process;
  const listeners = process.listeners('SIGINT');
  const own = Object.keys(streams).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true });
  process.env = { ...env, ...variables };
  return () => {
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor ?? {});
    process.env = env;
    process.exitCode = exitCode;
    for (const listener of process.listeners('SIGINT'))
      if (!listeners.includes(listener)) process.off('SIGINT', listener);
  };
}

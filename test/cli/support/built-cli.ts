import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../../support/source-tree.js';
import { variablesOf, type CliOptions, type CliResult } from './run-cli.js';

const BIN = path.join(root, 'libs/task-streams-cli/bin/task-streams.js');
const BUILT = path.join(root, 'libs/task-streams-cli/dist/main.js');

export interface RunningCli {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<CliResult>;
}

/** Starts the built program, as a shell would. */
export function startBuiltCli(args: readonly string[], options: CliOptions): RunningCli {
  if (!existsSync(BUILT)) throw new Error(`${BUILT} is missing: run \`npm run build\` first`);
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: root,
    env: { ...process.env, ...variablesOf(options) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input);
  return { child, ended: resultOf(child) };
}

/** Runs the built program to its end: it also shows that the program ends by itself. */
export function runBuiltCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return startBuiltCli(args, options).ended;
}

async function resultOf(child: ChildProcessWithoutNullStreams): Promise<CliResult> {
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  const [code, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr, json: <T>() => JSON.parse(stdout) as T };
}

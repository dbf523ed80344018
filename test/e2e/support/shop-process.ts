import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../support/source-tree.js';
import { until } from '../../../src/smoke/until.js';

const MAIN = path.join(root, 'dist/main.js');
const STARTED_MS = 60_000;
const EXIT_MS = 60_000;
const KEPT_LINES = 200;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One real process of the built sample. */
export class ShopProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<Exit>;
  #log: string[] = [];

  constructor(readonly env: Readonly<Record<string, string>>) {
    if (!existsSync(MAIN)) throw new Error('dist/main.js is missing: run `npm run build` first');
    this.#child = spawn(process.execPath, [MAIN], {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#keep(text));
    }
    this.#exited = once(this.#child, 'exit').then(([code, signal]: unknown[]) => ({ code, signal }) as Exit);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${MAIN} could not be started`);
    return this.#child.pid;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The last lines it printed. */
  get log(): string {
    return this.#log.join('');
  }

  /** Waits until it says that it has started. */
  async started(): Promise<this> {
    const look = (): string | undefined => {
      if (/\[Shop\] \w+ started/.test(this.log)) return 'started';
      return this.hasExited ? 'ended' : undefined;
    };
    if ((await until(`the start of ${this.env['TASKS_ROLE']}`, look, STARTED_MS)) === 'started') return this;
    throw new Error(`${this.env['TASKS_ROLE']} ended before it had started:\n${this.log}`);
  }

  /** Sends a signal and waits until the process is gone. */
  async end(signal: NodeJS.Signals): Promise<Exit> {
    if (!this.hasExited) process.kill(this.pid, signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), EXIT_MS);
    try {
      return await this.#exited;
    } finally {
      clearTimeout(timer);
    }
  }

  #keep(text: string): void {
    this.#log = [...this.#log, text].slice(-KEPT_LINES);
  }
}

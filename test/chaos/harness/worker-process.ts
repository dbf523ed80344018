import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { WorkerSettings } from '../worker/settings.js';
import type { Guardian } from './guardian.js';

const KEPT_LINES = 200;
const START_MS = 60_000;

export interface WorkerExit {
  readonly pid: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly at: number;
}

export interface WorkerPlace {
  readonly buildDir: string;
  readonly guardian: Guardian;
  readonly settings: WorkerSettings;
  readonly env?: Readonly<Record<string, string>>;
}

/** One real Nest process with the built library. */
export class WorkerProcess {
  readonly pid: number;
  readonly exited: Promise<WorkerExit>;
  readonly #child: ChildProcess;
  readonly #spawnedAt = performance.now();
  #readyAt: number | undefined;
  #exit: WorkerExit | undefined;
  #lines: string[] = [];
  #lineCount = 0;

  constructor({ buildDir, guardian, settings, env = {} }: WorkerPlace) {
    const main = path.join(buildDir, 'worker/dist/redis/main.js');
    this.#child = spawn(process.execPath, [main], {
      detached: true,
      env: { ...process.env, NO_COLOR: '1', ...env, CHAOS_SETTINGS: JSON.stringify(settings) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.pid = this.#child.pid ?? 0;
    if (this.pid > 0) guardian.watch(this.pid);
    this.#child.on('message', () => (this.#readyAt ??= performance.now()));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#keep(text));
    }
    this.exited = new Promise((resolve) => {
      const ended = (code: number | null, signal: NodeJS.Signals | null) => {
        this.#exit ??= { pid: this.pid, code, signal, at: Date.now() };
        guardian.forget(this.pid);
        resolve(this.#exit);
      };
      this.#child.once('error', () => ended(127, null));
      this.#child.once('exit', ended);
    });
  }

  get isReady(): boolean {
    return this.#readyAt !== undefined;
  }

  /** Milliseconds it took to start; undefined where it never did. */
  get startMs(): number | undefined {
    return this.#readyAt === undefined ? undefined : this.#readyAt - this.#spawnedAt;
  }

  get exit(): WorkerExit | undefined {
    return this.#exit;
  }

  /** The last lines it printed. */
  get log(): string {
    return this.#lines.join('\n');
  }

  /** How many lines it has printed. */
  get lineCount(): number {
    return this.#lineCount;
  }

  async ready(): Promise<this> {
    const deadline = performance.now() + START_MS;
    while (!this.isReady && !this.#exit && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    if (!this.isReady) throw new Error(`A worker did not start:\n${this.log}`);
    return this;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.#exit) this.#child.kill(signal);
  }

  /** Ends it the hard way, and waits until it is gone. */
  async kill(): Promise<WorkerExit> {
    this.signal('SIGKILL');
    return this.exited;
  }

  #keep(text: string): void {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    this.#lineCount += lines.length;
    this.#lines = [...this.#lines, ...lines].slice(-KEPT_LINES);
  }
}

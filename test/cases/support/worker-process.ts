import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { inject, onTestFinished } from 'vitest';
import type { WorkerQuestion, WorkerSetup } from './worker-program.js';

const START_MS = 30_000;

export interface WorkerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A real worker process: a Nest application that runs the built library. Ended with the test that started it. */
export class WorkerProcess {
  readonly exited: Promise<WorkerExit>;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];

  private constructor(setup: WorkerSetup, nodeArguments: readonly string[]) {
    this.#child = spawn(process.execPath, [...nodeArguments, inject('workerProgram')], {
      env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '', CASE_WORKER: JSON.stringify(setup) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child.on('error', () => undefined);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#lines.push(...text.split('\n').filter(Boolean)));
    }
    this.exited = once(this.#child, 'exit').then(([code, signal]: unknown[]) => ({ code, signal }) as WorkerExit);
  }

  /** Starts one and waits until its loops run. */
  static async start(setup: WorkerSetup, nodeArguments: readonly string[] = []): Promise<WorkerProcess> {
    const worker = new WorkerProcess(setup, nodeArguments);
    onTestFinished(() => worker.kill());
    const started = once(worker.#child, 'message', { signal: AbortSignal.timeout(START_MS) });
    const ended = worker.exited.then((exit) => {
      throw new Error(`The worker ended before it had started: ${JSON.stringify(exit)}\n${worker.log.join('\n')}`);
    });
    await Promise.race([started, ended]);
    return worker;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The lines it printed. */
  get log(): readonly string[] {
    return this.#lines;
  }

  send(signal: NodeJS.Signals): void {
    if (this.isRunning) process.kill(this.pid, signal);
  }

  /** Ends it without a chance to say goodbye, and waits until it is gone. */
  async kill(): Promise<void> {
    this.send('SIGKILL');
    await this.exited;
  }

  /** Asks it to end in the orderly way. */
  stop(): Promise<WorkerExit> {
    this.send('SIGTERM');
    return this.exited;
  }

  async ask<T>(question: WorkerQuestion): Promise<T> {
    const answered = once(this.#child, 'message', { signal: AbortSignal.timeout(START_MS) });
    this.#child.send(question);
    const [{ answer }] = (await answered) as [{ readonly answer: T }];
    return answer;
  }
}

/** Starts the next process whenever one ends, as a supervisor does. */
export class Supervisor {
  readonly started: WorkerProcess[] = [];
  #isStopped = false;

  constructor(private readonly start: () => Promise<WorkerProcess>) {
    onTestFinished(() => this.stop());
  }

  get deaths(): number {
    return this.started.filter((worker) => !worker.isRunning).length;
  }

  get running(): WorkerProcess[] {
    return this.started.filter((worker) => worker.isRunning);
  }

  async run(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#keep()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.running.map((worker) => worker.kill()));
  }

  async #keep(): Promise<void> {
    const worker = await this.start();
    this.started.push(worker);
    void worker.exited.then(() => (this.#isStopped ? undefined : this.#keep().catch(() => undefined)));
  }
}

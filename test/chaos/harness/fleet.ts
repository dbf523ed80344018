import { setTimeout as pause } from 'node:timers/promises';
import { until } from './until.js';
import { WorkerProcess, type WorkerExit, type WorkerPlace } from './worker-process.js';

const RESTART_PAUSE_MS = 50;
const READY_MS = 60_000;

/** Keeps a number of workers running, whatever ends them, and knows which ends were meant. */
export class Fleet {
  readonly exits: (WorkerExit & { readonly wasMeant: boolean })[] = [];
  /** Every worker that was ever started. */
  readonly all: WorkerProcess[] = [];
  readonly #slots: WorkerProcess[] = [];
  readonly #meant = new Set<number>();
  readonly #keepers: Promise<void>[] = [];
  #isStopping = false;

  /**
   * @param place What a worker of a slot is started with; asked again at every restart.
   * @param areEndsMeant The tasks end their workers: no end is a worker's own fault.
   */
  constructor(
    private readonly place: (slot: number) => WorkerPlace,
    private readonly areEndsMeant = false,
  ) {}

  /** Starts workers and waits until they run. */
  async start(count: number): Promise<void> {
    for (let slot = 0; slot < count; slot += 1) {
      this.#slots.push(this.#spawn(slot));
      this.#keepers.push(this.#keep(slot));
    }
    await this.ready();
  }

  /** What the slowest start of a worker took, on this machine and in this run. */
  get longestStartMs(): number {
    return Math.max(0, ...this.all.map(({ startMs }) => startMs ?? 0));
  }

  get size(): number {
    return this.#slots.length;
  }

  get current(): readonly WorkerProcess[] {
    return this.#slots;
  }

  at(slot: number): WorkerProcess {
    const worker = this.#slots[slot];
    if (!worker) throw new RangeError(`There is no worker ${slot}`);
    return worker;
  }

  /** Waits until every slot has a worker that runs. */
  async ready(): Promise<void> {
    await until('a full fleet', () => this.#slots.every((worker) => worker.isReady && !worker.exit), READY_MS).catch(
      (error: unknown) => {
        throw new Error(`The workers do not start:\n${this.#slots.map((worker) => worker.log).join('\n')}`, {
          cause: error,
        });
      },
    );
  }

  /** Says that the end of this worker is no fault of its own. */
  expectEnd(pid: number): void {
    this.#meant.add(pid);
  }

  /** Kills a worker without a warning and answers its pid. The supervisor starts another. */
  async kill(slot: number): Promise<number> {
    const worker = this.at(slot);
    this.expectEnd(worker.pid);
    await worker.kill();
    return worker.pid;
  }

  /** Asks a worker to stop, as a deploy would, and waits for its end. */
  async terminate(slot: number): Promise<WorkerExit> {
    const worker = this.at(slot);
    this.expectEnd(worker.pid);
    worker.signal('SIGTERM');
    return worker.exited;
  }

  /** Workers that ended though nobody had ended them. */
  get unmeantExits(): readonly WorkerExit[] {
    return this.exits.filter((exit) => !exit.wasMeant);
  }

  /** Ends all of them; none is started again. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const worker of this.#slots) this.expectEnd(worker.pid);
    await Promise.all(this.#slots.map((worker) => worker.kill()));
    await Promise.all(this.#keepers);
    await Promise.all(this.#slots.map((worker) => worker.kill()));
  }

  async #keep(slot: number): Promise<void> {
    while (!this.#isStopping) {
      const exit = await this.at(slot).exited;
      this.exits.push({ ...exit, wasMeant: this.areEndsMeant || this.#meant.has(exit.pid) });
      if (this.#isStopping) return;
      await pause(RESTART_PAUSE_MS);
      if (!this.#isStopping) this.#slots[slot] = this.#spawn(slot);
    }
  }

  #spawn(slot: number): WorkerProcess {
    const worker = new WorkerProcess(this.place(slot));
    this.all.push(worker);
    return worker;
  }
}

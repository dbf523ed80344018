import { setTimeout as pause } from 'node:timers/promises';
import type { Job, Producer } from './producer.js';

const TICK_MS = 20;
const MAX_IN_FLIGHT = 500;

export interface Load {
  readonly count: number;
  /** Milliseconds over which the tasks are spread; 0 sends them as fast as they are taken. */
  readonly overMs: number;
  readonly job: (index: number) => Job;
  /** Called for each task that was taken. */
  readonly onSent?: (index: number) => void;
  /** Default true: see {@link Producer.send}. */
  readonly persists?: boolean;
}

/** Sends tasks at an even pace. */
export class LoadRun {
  readonly done: Promise<void>;
  readonly #inFlight = new Set<Promise<unknown>>();
  #isCutShort = false;

  constructor(
    private readonly producer: Producer,
    private readonly load: Load,
  ) {
    this.done = this.#run();
  }

  /** Sends no more than what is on its way. */
  async cutShort(): Promise<void> {
    this.#isCutShort = true;
    await this.done;
  }

  async #run(): Promise<void> {
    const { count, overMs, job, onSent, persists = true } = this.load;
    const startedAt = performance.now();
    let sent = 0;
    while (sent < count && !this.#isCutShort) {
      const due = overMs === 0 ? count : Math.min(count, Math.ceil(((performance.now() - startedAt) / overMs) * count));
      for (; sent < due && this.#inFlight.size < MAX_IN_FLIGHT; sent += 1) {
        const index = sent;
        this.#track(
          this.producer.send(job(index), persists).then((isTaken) => (isTaken ? onSent?.(index) : undefined)),
        );
      }
      if (this.#inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.#inFlight);
      else await pause(TICK_MS);
    }
    await Promise.all(this.#inFlight);
  }

  #track(work: Promise<unknown>): void {
    const tracked = work.finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }
}

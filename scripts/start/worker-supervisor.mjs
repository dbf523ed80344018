import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { AppProcess, appScripts } from './app-process.mjs';

const firstBackoffMs = 500;
const maxBackoffMs = 15_000;
const stableAfterMs = 30_000;

/**
 * @typedef {object} SupervisorOptions
 * @property {number} count
 * @property {Record<string, string>} env
 * @property {(line: string) => void} print
 * @property {string} [pidsFile] kept up to date with the pids that run, as a JSON list
 */

/** Keeps a number of workers running until it is told to stop. */
export class WorkerSupervisor {
  /** @type {Set<AppProcess>} */
  #running = new Set();
  #options;
  #stopping = new AbortController();
  /** @type {Promise<void>[]} */
  #slots = [];

  /** @param {SupervisorOptions} options */
  constructor(options) {
    this.#options = options;
  }

  start() {
    for (let number = 1; number <= this.#options.count; number++) {
      this.#slots.push(this.#keepRunning(`worker ${number}`));
    }
  }

  /**
   * Lets every worker finish what it runs, at most `graceMs`.
   *
   * @param {number} graceMs
   * @param {Promise<unknown>} hurry once resolved, no more grace
   */
  async stop(graceMs, hurry) {
    this.#stopping.abort();
    const workers = [...this.#running];
    const areInTime = await Promise.all(workers.map((worker) => worker.stop(graceMs, hurry)));
    await Promise.all(this.#slots);
    workers
      .filter((_, index) => !areInTime[index])
      .forEach(({ pid }) => this.#options.print(`worker ${pid} was killed`));
  }

  /** @param {string} name */
  async #keepRunning(name) {
    const { print } = this.#options;
    let backoffMs = firstBackoffMs;
    while (!this.#stopping.signal.aborted) {
      const startedAt = Date.now();
      const worker = this.#startWorker(name);
      print(`${name} runs with pid ${worker.pid}`);
      const { how } = await worker.exited;
      this.#running.delete(worker);
      this.#writePids();
      if (this.#stopping.signal.aborted) return;
      // A worker that ran well for a while and then died is no reason to wait long.
      if (Date.now() - startedAt > stableAfterMs) backoffMs = firstBackoffMs;
      print(`${name} (pid ${worker.pid}) ended with ${how}; it starts again in ${backoffMs} ms`);
      await delay(backoffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
    }
  }

  /** @param {string} name */
  #startWorker(name) {
    const { env, print } = this.#options;
    const worker = new AppProcess({ name, script: appScripts.main, env: { ...env, TASKS_ROLE: 'worker' }, print });
    this.#running.add(worker);
    this.#writePids();
    return worker;
  }

  #writePids() {
    const { pidsFile } = this.#options;
    if (!pidsFile) return;
    // Written aside and renamed: a reader never sees half a list.
    writeFileSync(`${pidsFile}.tmp`, JSON.stringify([...this.#running].map((worker) => worker.pid)));
    renameSync(`${pidsFile}.tmp`, pidsFile);
  }
}

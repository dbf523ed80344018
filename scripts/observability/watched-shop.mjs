import path from 'node:path';
import { freePort } from '../redis/index.mjs';
import { AppProcess, appScripts } from '../start/app-process.mjs';
import { waitUntilLive } from '../start/processes.mjs';

const graceMs = 5_000;
/** Short, so that a worker that was killed is missed within seconds. */
const leaseMs = '2000';

/** The sample app as a web process and two workers, each with metrics at a port of its own. */
export class WatchedShop {
  #env;
  /** @type {AppProcess | undefined} */
  #web;
  /** @type {AppProcess[]} */
  #workers = [];
  #webPort = 0;
  /** @type {number[]} */
  #workerPorts = [];

  /**
   * @param {string} redisUrl
   * @param {string} dir
   */
  constructor(redisUrl, dir) {
    const files = { DATA_DIR: path.join(dir, 'files'), TASK_LEASE_MS: leaseMs };
    this.#env = { REDIS_URL: redisUrl, HOST: '127.0.0.1', NO_COLOR: '1', ...files };
  }

  get url() {
    return `http://127.0.0.1:${this.#webPort}`;
  }

  /** Host and port of each process. */
  get targets() {
    return [this.#webPort, ...this.#workerPorts].map((port) => `127.0.0.1:${port}`);
  }

  async start() {
    this.#webPort = await freePort();
    this.#workerPorts = await Promise.all([freePort(), freePort()]);
    this.#web = this.#launch({ TASKS_ROLE: 'web', PORT: String(this.#webPort) });
    await Promise.all([waitUntilLive(this.#web, this.url), this.startWorkers()]);
  }

  async startWorkers() {
    this.#workers = this.#workerPorts.map((port) => this.#launch({ TASKS_ROLE: 'worker', HEALTH_PORT: String(port) }));
    await Promise.all(
      this.#workers.map((worker, i) => waitUntilLive(worker, `http://127.0.0.1:${this.#workerPorts[i]}`)),
    );
  }

  /** As a machine that loses its power does it. */
  async killWorkers() {
    for (const { pid } of this.#workers) process.kill(pid, 'SIGKILL');
    await Promise.all(this.#workers.map(({ exited }) => exited));
  }

  async stop() {
    const all = [...(this.#web ? [this.#web] : []), ...this.#workers];
    await Promise.all(all.map((one) => one.stop(graceMs)));
  }

  /** @param {Record<string, string>} env */
  #launch(env) {
    const print = () => undefined;
    return new AppProcess({ name: 'shop', script: appScripts.main, env: { ...this.#env, ...env }, print });
  }
}

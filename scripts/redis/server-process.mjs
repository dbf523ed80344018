import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const stopTimeoutMs = 10_000;
const maxLogLength = 4_000;
/** @type {ReadonlySet<NodeJS.Signals>} */
const endingSignals = new Set(['SIGINT', 'SIGKILL', 'SIGQUIT', 'SIGTERM']);

/** One started server: what it said, whether it still runs, and the only ways to end it. */
export class ServerProcess {
  #child;
  #hasExited = false;
  #log = '';
  #plan;

  /**
   * @param {import('./launch-plan.mjs').LaunchPlan} plan
   * @param {Readonly<Record<string, string>>} [env] more variables of its environment
   */
  constructor(plan, env = {}) {
    this.#plan = plan;
    // A group of its own: Ctrl-C in a terminal reaches the whole group, and the server must outlive its clients.
    this.#child = spawn(plan.command, plan.args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    const keep = (/** @type {Buffer} */ chunk) => (this.#log = (this.#log + chunk.toString()).slice(-maxLogLength));
    this.#child.stdout.on('data', keep);
    this.#child.stderr.on('data', keep);
    // Its last words may still be in the pipe when it has exited; 'close' comes after them.
    this.closed = once(this.#child, 'close').catch(() => undefined);
    this.exited = this.#watchExit();
  }

  get pid() {
    return this.#child.pid ?? 0;
  }

  get hasExited() {
    return this.#hasExited;
  }

  /** The end of what the server printed. */
  get log() {
    return this.#log;
  }

  /** Asks the server to end, and ends it when it does not listen. Safe to call twice. */
  async stop() {
    if (this.#hasExited) return;
    // A stopped process would see the request only when it is continued.
    if (this.#plan.isDirectChild) await this.#plan.send(this.#child, 'SIGCONT');
    await this.#plan.send(this.#child, 'SIGTERM');
    const timer = new AbortController();
    const late = delay(stopTimeoutMs, true, { signal: timer.signal }).catch(() => false);
    const isLate = await Promise.race([this.exited.then(() => false), late]);
    timer.abort();
    if (isLate) await this.#plan.send(this.#child, 'SIGKILL');
    await this.exited;
  }

  /**
   * Sends a signal; where the signal ends the server, waits until it has ended.
   *
   * @param {NodeJS.Signals} signal
   */
  async kill(signal) {
    if (this.#hasExited) return;
    await this.#plan.send(this.#child, signal);
    if (endingSignals.has(signal)) await this.exited;
  }

  /** @returns {Promise<string>} */
  #watchExit() {
    const endWithUs = () => void this.#child.kill('SIGTERM');
    process.once('exit', endWithUs);
    return new Promise((resolve) => {
      const ended = (/** @type {string} */ how) => {
        this.#hasExited = true;
        process.off('exit', endWithUs);
        resolve(how);
      };
      this.#child.once('error', (error) => ended(error.message));
      this.#child.once('exit', (code, signal) => ended(signal ? `signal ${signal}` : `code ${code}`));
    });
  }
}

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { root } from '../lib/paths.mjs';

const followParent = new URL('follow-parent.mjs', import.meta.url).href;

/**
 * @typedef {object} AppOptions
 * @property {string} name what its lines are prefixed with
 * @property {string} script path of a script below the root of the repository
 * @property {Record<string, string>} env added to ours
 * @property {(line: string) => void} print
 */

/** One Node process of the sample app. */
export class AppProcess {
  #child;
  #hasExited = false;

  /** @param {AppOptions} options */
  constructor({ name, script, env, print }) {
    // A group of its own: Ctrl-C goes to the launcher alone, which ends the processes in the right order. The channel
    // ('ipc') closes when the launcher dies, however it dies.
    this.#child = spawn(process.execPath, ['--import', followParent, script], {
      cwd: root,
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => print(`[${name}] ${line}`));
    }
    /** @type {Promise<{ code: number | null, how: string }>} */
    this.exited = new Promise((resolve) => {
      const ended = (/** @type {number | null} */ code, /** @type {string} */ how) => {
        this.#hasExited = true;
        resolve({ code, how });
      };
      this.#child.once('error', (error) => ended(null, error.message));
      this.#child.once('exit', (code, signal) => ended(code, signal ? `signal ${signal}` : `exit code ${code}`));
    });
  }

  get pid() {
    return this.#child.pid ?? 0;
  }

  get hasExited() {
    return this.#hasExited;
  }

  /**
   * Asks the process to finish and ends it when it does not in time.
   *
   * @param {number} graceMs
   * @param {Promise<unknown>} [hurry] once resolved, no more grace
   * @returns {Promise<boolean>} whether it ended by itself
   */
  async stop(graceMs, hurry = new Promise(() => {})) {
    if (this.#hasExited) return true;
    this.#child.kill('SIGTERM');
    const timer = new AbortController();
    const late = delay(graceMs, false, { signal: timer.signal }).catch(() => false);
    const isInTime = await Promise.race([this.exited.then(() => true), late, hurry.then(() => false)]);
    timer.abort();
    if (!isInTime) this.#child.kill('SIGKILL');
    await this.exited;
    return isInTime;
  }
}

/** The scripts of the sample app, as `npm run build` writes them. */
export const appScripts = Object.freeze({
  main: fileURLToPath(new URL('../../dist/main.js', import.meta.url)),
  smoke: fileURLToPath(new URL('../../dist/smoke.js', import.meta.url)),
});

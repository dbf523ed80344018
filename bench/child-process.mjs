import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * @typedef {import('./child/plan.js').ChildMessage} ChildMessage
 * @typedef {import('./child/plan.js').RunPlan} RunPlan
 * @typedef {import('./child/plan.js').RunResult} RunResult
 * @typedef {import('./child/plan.js').WorkerCommand} WorkerCommand
 */

const exitTimeoutMs = 20_000;
const maxLogLength = 4_000;

/** A process that measures one side, or does its part of it. */
export class ChildProcess {
  #child;
  #log = '';
  #plan;
  /** @type {Promise<never>} */
  #failure;

  /**
   * @param {string} program
   * @param {RunPlan} plan
   */
  constructor(program, plan) {
    this.#plan = plan;
    this.#child = fork(program, [], {
      // The serialization of structured clones: a Uint8Array arrives as one.
      serialization: 'advanced',
      execArgv: ['--expose-gc'],
      // BullMQ never unpacks MessagePack, and its native helper, which is only for unpacking, is not installed here.
      env: { ...process.env, NODE_ENV: 'production', MSGPACKR_NATIVE_ACCELERATION_DISABLED: 'true' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const keep = (/** @type {Buffer} */ chunk) => (this.#log = (this.#log + chunk.toString()).slice(-maxLogLength));
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    this.#failure = this.#watchFailure();
    // Whoever waits for a message gets it; nobody waits after the last one.
    this.#failure.catch(() => undefined);
  }

  /** Sends the plan as soon as the process listens, and waits for its first answer. */
  async begin() {
    await this.#next();
    return this.#send(this.#plan);
  }

  /**
   * Runs the plan to its end.
   *
   * @returns {Promise<RunResult>}
   */
  async run() {
    const message = await this.begin();
    if (message.kind !== 'result') throw new Error(`A result was expected, and ${message.kind} came`);
    return message.result;
  }

  /**
   * Has a worker do something and gets its answer.
   *
   * @template [T=unknown]
   * @param {WorkerCommand} command
   * @returns {Promise<T>}
   */
  async ask(command) {
    const message = await this.#send(command);
    if (message.kind !== 'answer') throw new Error(`An answer to ${command} was expected, and ${message.kind} came`);
    return /** @type {T} */ (message.value);
  }

  /** Waits until the process has ended, and ends it where it does not. */
  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const timer = setTimeout(() => this.kill(), exitTimeoutMs);
    await once(this.#child, 'exit');
    clearTimeout(timer);
  }

  kill() {
    this.#child.kill('SIGKILL');
  }

  /** @param {RunPlan | WorkerCommand} what */
  #send(what) {
    const reply = this.#next();
    this.#child.send(what);
    return reply;
  }

  /** @returns {Promise<ChildMessage>} */
  #next() {
    return Promise.race([
      this.#failure,
      /** @type {Promise<ChildMessage>} */ (
        new Promise((resolve, reject) => {
          this.#child.once('message', (/** @type {ChildMessage} */ message) => {
            if (message.kind === 'failed') reject(this.#error(message.message));
            else resolve(message);
          });
        })
      ),
    ]);
  }

  /** @returns {Promise<never>} */
  #watchFailure() {
    return new Promise((_, reject) => {
      this.#child.once('error', (error) => reject(this.#error(error.message)));
      this.#child.once('exit', (code, signal) => reject(this.#error(`it ended early (${signal ?? `code ${code}`})`)));
    });
  }

  /** @param {string} what */
  #error(what) {
    return new Error(`The process of ${this.#plan.side} failed: ${what}${this.#log && `\nIt said:\n${this.#log}`}`);
  }
}

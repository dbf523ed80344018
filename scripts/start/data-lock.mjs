import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../lib/lock.mjs';
import { askRedis, redisInfo } from '../redis/index.mjs';

const orphanStopMs = 10_000;
// A little more than an orderly stop may take: workers, then the web process, then the server.
const predecessorStopMs = 60_000;

/** @typedef {{ pid: number, isStopping?: boolean, redis?: { pid: number, url: string } }} Owner */

/** Makes sure that one launcher at a time uses a data folder: two servers on one append-only file would destroy it. */
export class DataLock {
  #file;
  /** @type {Owner} */
  #self = { pid: process.pid };

  /** @param {string} dir */
  constructor(dir) {
    mkdirSync(dir, { recursive: true });
    this.#file = path.join(dir, 'launcher.json');
  }

  /**
   * Takes the folder, or throws with what to do. Waits for a launcher that is about to end; a server left over by a killed
   * one is ended first.
   *
   * @param {(line: string) => void} print
   */
  async acquire(print) {
    const deadline = Date.now() + predecessorStopMs;
    let hasWaited = false;
    while (!this.#create()) {
      const owner = this.#read();
      if (owner && (await isInCharge(owner))) {
        if (!owner.isStopping || Date.now() > deadline) throw new Error(inUseText(owner));
        if (!hasWaited) print(`waiting for the last npm start (process ${owner.pid}), which is stopping`);
        hasWaited = true;
        await delay(100);
        continue;
      }
      if (owner?.redis && (await isServing(owner.redis))) await endOrphan(owner.redis);
      this.release();
    }
  }

  /** @param {string} url the server that now uses the folder */
  async record(url) {
    // Its own word for its pid: in a container that is not the pid we see.
    const { process_id: pid } = await redisInfo(url, 'server');
    this.#write({ redis: { pid: Number(pid), url } });
  }

  /** Tells the next launcher that waiting is worth it. */
  announceStop() {
    this.#write({ isStopping: true });
  }

  release() {
    rmSync(this.#file, { force: true });
  }

  /** @param {Partial<Owner>} change */
  #write(change) {
    Object.assign(this.#self, change);
    // Written aside and renamed: a reader never sees half of it.
    writeFileSync(`${this.#file}.tmp`, JSON.stringify(this.#self));
    renameSync(`${this.#file}.tmp`, this.#file);
  }

  #create() {
    try {
      writeFileSync(this.#file, JSON.stringify(this.#self), { flag: 'wx' });
      return true;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
      throw error;
    }
  }

  /** @returns {Owner | undefined} */
  #read() {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8'));
    } catch {
      return undefined; // gone in the meantime, or cut short by a crash
    }
  }
}

/** @param {Owner} owner */
async function isInCharge(owner) {
  // The number of a dead launcher may belong to a stranger by now; its server tells.
  return (
    isAlive(owner.pid) && (owner.redis === undefined || (await isServing(owner.redis)) || owner.isStopping === true)
  );
}

/** @param {Owner} owner */
function inUseText({ pid, isStopping }) {
  const state = isStopping ? 'does not come to an end' : 'runs already';
  return `npm start ${state} (process ${pid}): use it, or stop it with Ctrl-C there or with: kill ${pid}`;
}

/**
 * @param {{ pid: number, url: string }} redis
 * @returns {Promise<boolean>} whether that very process answers there, not a stranger with its port or its pid
 */
async function isServing({ pid, url }) {
  const info = await redisInfo(url, 'server', { timeoutMs: 2_000 }).catch(() => undefined);
  return Number(info?.['process_id']) === pid;
}

/** @param {{ pid: number, url: string }} redis */
async function endOrphan(redis) {
  // The answer to SHUTDOWN is a closed connection.
  await askRedis(redis.url, [['SHUTDOWN']]).catch(() => undefined);
  const deadline = Date.now() + orphanStopMs;
  while (await isServing(redis)) {
    if (Date.now() > deadline) {
      throw new Error(`A server left over by an earlier run does not stop: end it with: kill ${redis.pid}`);
    }
    await delay(50);
  }
}

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { askRedis } from './ask-redis.mjs';
import { findRedisServer } from './find-server.mjs';
import { freePort } from './free-port.mjs';
import { planLaunch } from './launch-plan.mjs';
import { ServerProcess } from './server-process.mjs';

/** @typedef {import('./find-server.mjs').RedisServer} RedisServer */

/**
 * @typedef {object} StartOptions
 * @property {string} dir the server's own folder; made when it is missing
 * @property {boolean} [appendOnly] whether writes go to an append-only file in `dir`; false unless told
 * @property {number} [port] a free one unless told
 * @property {readonly string[]} [extraArgs] more arguments of redis-server; they win over ours
 * @property {RedisServer} [server] what to start; `findRedisServer()` unless told
 * @property {Readonly<Record<string, string>>} [env] more variables of its environment; a server in a container has none
 */

/**
 * @typedef {object} RunningRedis
 * @property {string} url
 * @property {number} port
 * @property {number} pid
 * @property {RedisServer} server
 * @property {Promise<string>} exited how it ended, once it has: `code 0`, `signal SIGKILL`
 * @property {() => string} log the end of what it printed
 * @property {() => Promise<void>} stop ends it, and only it; safe to call twice
 * @property {(signal: NodeJS.Signals) => Promise<void>} kill sends a signal; waits for the end where the signal ends it
 */

const readyTimeoutMs = 60_000;
const maxPortAttempts = 5;

/**
 * Starts a private server on the loopback interface and waits until it answers.
 *
 * @param {StartOptions} options
 * @returns {Promise<RunningRedis>}
 */
export async function startRedisServer(options) {
  const { dir, appendOnly = false, port: wantedPort, extraArgs = [], env = {} } = options;
  const server = options.server ?? (await findRedisServer());
  const folder = path.resolve(dir);
  await mkdir(folder, { recursive: true });
  for (let attempt = 1; ; attempt++) {
    const port = wantedPort ?? (await freePort());
    const plan = planLaunch(server, { dir: folder, port, appendOnly, extraArgs });
    const running = new ServerProcess(plan, env);
    const url = `redis://${credentials(extraArgs)}127.0.0.1:${port}`;
    try {
      await waitUntilReady(running, { url, server, pid: plan.isDirectChild ? running.pid : undefined });
      return handleOf(running, { url, port, server });
    } catch (error) {
      await running.stop();
      // Another process may have taken the free port in between; a port that the caller named is not ours to change.
      const isPortTaken = /address already in use|port is already allocated/i.test(running.log);
      if (wantedPort !== undefined || !isPortTaken || attempt === maxPortAttempts) throw error;
    }
  }
}

/** @param {readonly string[]} extraArgs */
function credentials(extraArgs) {
  const password = extraArgs[extraArgs.indexOf('--requirepass') + 1];
  return extraArgs.includes('--requirepass') && password ? `:${encodeURIComponent(password)}@` : '';
}

/**
 * @param {ServerProcess} running
 * @param {{ url: string, port: number, server: RedisServer }} facts
 * @returns {RunningRedis}
 */
function handleOf(running, facts) {
  return {
    ...facts,
    pid: running.pid,
    exited: running.exited,
    log: () => running.log,
    stop: () => running.stop(),
    kill: (signal) => running.kill(signal),
  };
}

/**
 * @param {ServerProcess} running
 * @param {{ url: string, server: RedisServer, pid: number | undefined }} expected
 */
async function waitUntilReady(running, { url, server, pid }) {
  const deadline = Date.now() + readyTimeoutMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 200)) {
    if (running.hasExited) {
      await running.closed;
      throw new Error(`${server.source} ended before it was ready (${await running.exited}). It said:\n${running.log}`);
    }
    if (await isReady(url, pid)) return;
    if (Date.now() > deadline) {
      throw new Error(
        `${server.source} did not answer on ${url} within ${readyTimeoutMs} ms. It said:\n${running.log}`,
      );
    }
    await delay(pauseMs);
  }
}

/**
 * @param {string} url
 * @param {number | undefined} pid
 */
async function isReady(url, pid) {
  const replies = await askRedis(url, [['PING'], ['INFO', 'server']], { timeoutMs: 1_000 }).catch(() => []);
  // While the data is loading, PING answers an error. The process id tells our server from another one on the same port.
  if (replies[0] !== 'PONG') return false;
  return pid === undefined || String(replies[1]).includes(`\r\nprocess_id:${pid}\r\n`);
}

import path from 'node:path';
import { relativeToRoot } from '../lib/paths.mjs';
import { checkRedisUrl, startRedisServer, findRedisServer, withoutPassword } from '../redis/index.mjs';
import { DataLock } from './data-lock.mjs';

/**
 * The Redis the app uses, and how to let go of it.
 *
 * @typedef {object} OpenRedis
 * @property {string} url
 * @property {string} description for people
 * @property {Promise<string>} failed settles when a server of ours ends by itself
 * @property {() => void} announceStop says that `close` comes soon
 * @property {() => Promise<void>} close
 */

/**
 * Uses the server that the variable names, or starts a private one that writes every command to disk.
 *
 * @param {{ variable: 'REDIS_URL' | 'TEST_REDIS_URL', dir: string, print: (line: string) => void }} options
 * @returns {Promise<OpenRedis>}
 */
export async function openRedis({ variable, dir, print }) {
  const url = process.env[variable];
  return url ? useGiven(url, variable) : startPrivate(dir, print);
}

/**
 * @param {string} url
 * @param {string} variable
 * @returns {Promise<OpenRedis>}
 */
async function useGiven(url, variable) {
  const { name, version } = await checkRedisUrl(url, variable);
  return {
    url,
    description: `${name} ${version} at ${withoutPassword(url)} (${variable})`,
    failed: new Promise(() => {}),
    announceStop: () => {},
    close: async () => {},
  };
}

/**
 * @param {string} dir
 * @param {(line: string) => void} print
 * @returns {Promise<OpenRedis>}
 */
async function startPrivate(dir, print) {
  const server = await findRedisServer({ log: print });
  const lock = new DataLock(dir);
  await lock.acquire(print);
  try {
    const redis = await startRedisServer({
      dir: path.join(dir, 'redis'),
      appendOnly: true,
      // An answered write is on disk: what `npm start` accepts survives a power cut, as the library's promise needs.
      extraArgs: ['--appendfsync', 'always'],
      server,
    });
    await lock.record(redis.url);
    return {
      url: redis.url,
      description: `private ${server.name} ${server.version} at ${redis.url}, data in ${relativeToRoot(dir)}`,
      failed: redis.exited.then((how) => `${how}. It said:\n${redis.log()}`),
      announceStop: () => lock.announceStop(),
      close: () => redis.stop().finally(() => lock.release()),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

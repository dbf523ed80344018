import path from 'node:path';
import { cacheDir } from '../lib/paths.mjs';
import { findInAptArchive } from './from-apt.mjs';
import { findInDocker } from './from-docker.mjs';
import { findInHomebrew } from './from-homebrew.mjs';
import { findOnPath } from './from-path.mjs';
import { minimumVersions } from './version.mjs';

/**
 * A server program that can be started.
 *
 * @typedef {object} RedisServer
 * @property {'process' | 'docker'} kind how it is started and stopped
 * @property {'Redis' | 'Valkey'} name
 * @property {string} version
 * @property {string} command
 * @property {string[]} args what goes before the arguments of the server itself
 * @property {string} source where it was found, for people
 */

/** @typedef {{ server: RedisServer } | { reason: string }} Finding */

/**
 * @typedef {object} SearchContext
 * @property {NodeJS.ProcessEnv} env
 * @property {string} redisCacheDir where a downloaded server is kept
 * @property {(line: string) => void} log
 */

/** @typedef {(context: SearchContext) => Promise<Finding>} Provider */

/** Nothing on this machine can serve; the message tells the reader what to type. */
export class NoRedisServerError extends Error {
  /** @param {readonly string[]} reasons why each place was no use */
  constructor(reasons) {
    super(helpText(reasons));
    this.name = 'NoRedisServerError';
  }
}

/** @type {readonly Provider[]} what the machine has, then what can be had without installing anything */
const providers = [findOnPath, findInAptArchive, findInHomebrew, findInDocker];

/**
 * Finds a Redis or Valkey server that this machine can start.
 *
 * @param {Partial<SearchContext>} [options]
 * @returns {Promise<RedisServer>}
 * @throws {NoRedisServerError}
 */
export async function findRedisServer({
  env = process.env,
  redisCacheDir = path.join(cacheDir, 'redis'),
  log = () => {},
} = {}) {
  /** @type {string[]} */
  const reasons = [];
  for (const provider of providers) {
    const finding = await provider({ env, redisCacheDir, log });
    if ('server' in finding) return finding.server;
    reasons.push(finding.reason);
  }
  throw new NoRedisServerError(reasons);
}

/** @param {readonly string[]} reasons */
function helpText(reasons) {
  const { Redis, Valkey } = minimumVersions;
  return [
    `No Redis found: Redis ${Redis} or newer, or Valkey ${Valkey} or newer, is needed.`,
    ...reasons.map((reason) => `  - ${reason}`),
    'Do one of these, then run the command again:',
    '  macOS:          brew install valkey',
    '  Debian, Ubuntu: sudo apt-get update && sudo apt-get install redis-server',
    '  Docker:         docker run --rm -d -p 127.0.0.1:6379:6379 valkey/valkey:8',
    '  and for Docker or any server that runs already, name it:',
    '                  export REDIS_URL=redis://127.0.0.1:6379        (npm start)',
    '                  export TEST_REDIS_URL=redis://127.0.0.1:6379   (npm test; it writes to that server)',
  ].join('\n');
}

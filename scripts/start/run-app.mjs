import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dataDir } from '../lib/paths.mjs';
import { chooseAddress } from './address.mjs';
import { banner } from './banner.mjs';
import { openRedis } from './open-redis.mjs';
import { startProcesses, waitUntilLive } from './processes.mjs';
import { runSmoke } from './smoke.mjs';
import { listenForStop } from './stop-signal.mjs';

/** @typedef {ReturnType<typeof listenForStop>} StopSignal */

/**
 * Runs Redis, the web process and the workers until somebody stops them or one that must not end does.
 *
 * @param {{ isSmoke: boolean, parentPid: number, print: (line: string) => void }} options
 * @returns {Promise<number>} the exit code
 */
export async function runApp({ isSmoke, parentPid, print }) {
  const stop = listenForStop(parentPid);
  const dir = isSmoke ? await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-smoke-')) : dataDir;
  try {
    const redis = await openRedis({ variable: isSmoke ? 'TEST_REDIS_URL' : 'REDIS_URL', dir, print });
    try {
      return await runWith(redis, { isSmoke, dir, print, stop });
    } finally {
      // Last of all: the workers settle their tasks in it until they end.
      await redis.close();
    }
  } finally {
    if (isSmoke) await rm(dir, { recursive: true, force: true });
  }
}

/**
 * @param {import('./open-redis.mjs').OpenRedis} redis
 * @param {{ isSmoke: boolean, dir: string, print: (line: string) => void, stop: StopSignal }} options
 * @returns {Promise<number>}
 */
async function runWith(redis, { isSmoke, dir, print, stop }) {
  const address = await chooseAddress({ isSmoke, print });
  const pidsFile = isSmoke ? path.join(dir, 'worker-pids.json') : undefined;
  const filesDir = (!isSmoke && process.env['DATA_DIR']) || path.join(dir, 'files');
  const app = startProcesses({ address, redisUrl: redis.url, filesDir, pidsFile, print });
  const failed = Promise.race([
    app.web.exited.then(({ how }) => `the web process ended with ${how}`),
    redis.failed.then((how) => `Redis ended with ${how}`),
  ]);
  try {
    const early = await Promise.race([waitUntilLive(app.web, address.url), stop.requested, redis.failed]);
    if (early === undefined && pidsFile) {
      const interrupted = Promise.race([stop.requested, failed]);
      return await runSmoke({ url: address.url, pidsFile, print, interrupted });
    }
    if (early === undefined) print(banner({ url: address.url, redis: redis.description }));
    const code = await untilEnd({ stop, failed, print });
    // A smoke run that was cut short has proved nothing.
    return isSmoke ? 1 : code;
  } finally {
    redis.announceStop();
    print('stopping: the workers finish what they run, then the web process and Redis end (Ctrl-C again: at once)');
    await app.stop(stop.insisted);
  }
}

/**
 * @param {{ stop: StopSignal, failed: Promise<string>, print: (line: string) => void }} options
 * @returns {Promise<number>}
 */
async function untilEnd({ stop, failed, print }) {
  const failure = await Promise.race([stop.requested.then(() => undefined), failed]);
  if (failure === undefined) return 0;
  print(`stopping, because ${failure}`);
  return 1;
}

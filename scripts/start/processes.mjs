import { setTimeout as delay } from 'node:timers/promises';
import { AppProcess, appScripts } from './app-process.mjs';
import { WorkerSupervisor } from './worker-supervisor.mjs';

const workerCount = 2;
// Five seconds more than the library's own shutdown timeout: it should hand tasks back itself before it is killed.
const workerGraceMs = 35_000;
const webGraceMs = 10_000;
const liveTimeoutMs = 60_000;

/**
 * The web process and the workers of the sample app.
 *
 * @param {object} options
 * @param {import('./address.mjs').Address} options.address
 * @param {string} options.redisUrl
 * @param {string} options.filesDir where the app keeps files: one folder for all its processes
 * @param {string | undefined} options.pidsFile
 * @param {(line: string) => void} options.print
 */
export function startProcesses({ address, redisUrl, filesDir, pidsFile, print }) {
  const env = {
    REDIS_URL: redisUrl,
    HOST: address.host,
    PORT: String(address.port),
    DATA_DIR: filesDir,
    // Two workers on one machine cannot share a health port; the launcher watches the processes themselves.
    HEALTH_PORT: '0',
    // Nest colours its lines even into a pipe; ours is one, so the terminal of the launcher decides.
    ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
  };
  const web = new AppProcess({ name: 'web', script: appScripts.main, env: { ...env, TASKS_ROLE: 'web' }, print });
  const workers = new WorkerSupervisor({ count: workerCount, env, print, ...(pidsFile ? { pidsFile } : {}) });
  workers.start();
  return {
    web,
    /** @param {Promise<unknown>} hurry once resolved, no more grace */
    stop: async (hurry) => {
      // Workers first: until they are done, people can still watch their tasks through the web process.
      await workers.stop(workerGraceMs, hurry);
      await web.stop(webGraceMs, hurry);
    },
  };
}

/**
 * @param {AppProcess} web
 * @param {string} url
 */
export async function waitUntilLive(web, url) {
  const deadline = Date.now() + liveTimeoutMs;
  let last = 'no answer';
  while (!web.hasExited) {
    const request = fetch(`${url}/health/live`, { signal: AbortSignal.timeout(2_000) });
    const response = await request.catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    if (response) last = `status ${response.status}`;
    if (Date.now() > deadline) {
      throw new Error(
        `${url}/health/live is not well after ${liveTimeoutMs} ms (${last}): see the lines of [web] above.`,
      );
    }
    await delay(100);
  }
  throw new Error(`The web process ended with ${(await web.exited).how} before it answered: see its lines above.`);
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startRedisServer } from '../redis/index.mjs';
import { AppProcess, appScripts } from '../start/app-process.mjs';
import { waitUntilLive } from '../start/processes.mjs';
import { readQueries } from './dashboard-queries.mjs';
import { startLoad } from './load.mjs';
import { startPrometheus } from './prometheus-process.mjs';

const timeoutMs = 120_000;
const graceMs = 10_000;

/**
 * Runs the sample app under load with a Prometheus that scrapes it, and asks for everything the dashboard shows.
 *
 * @param {string} program
 * @param {(line: string) => void} log
 * @returns {Promise<number>} how many queries brought no data
 */
export async function runQueries(program, log) {
  const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-observability-'));
  /** @type {(() => Promise<unknown>)[]} */
  const closing = [() => rm(dir, { recursive: true, force: true })];
  try {
    const redis = await startRedisServer({ dir: path.join(dir, 'redis'), appendOnly: true });
    closing.push(() => redis.stop());
    const { url, targets, stop } = await startShop(redis.url, dir);
    closing.push(stop);
    const prometheus = await startPrometheus(program, path.join(dir, 'prometheus'), targets);
    closing.push(() => prometheus.stop());
    await prometheus.ready();
    const load = startLoad(url);
    closing.push(() => load.stop());
    log(`the sample app (a web process and two workers) runs under load, Prometheus scrapes ${targets.join(', ')}`);
    return await askAll(prometheus, log);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/**
 * @param {string} redisUrl
 * @param {string} dir
 */
async function startShop(redisUrl, dir) {
  const common = { REDIS_URL: redisUrl, HOST: '127.0.0.1', DATA_DIR: path.join(dir, 'files'), NO_COLOR: '1' };
  const webPort = await freePort();
  const workerPorts = await Promise.all([freePort(), freePort()]);
  const print = () => undefined;
  const start = (/** @type {Record<string, string>} */ env) =>
    new AppProcess({ name: 'shop', script: appScripts.main, env: { ...common, ...env }, print });
  const web = start({ TASKS_ROLE: 'web', PORT: String(webPort) });
  const workers = workerPorts.map((port) => start({ TASKS_ROLE: 'worker', HEALTH_PORT: String(port) }));
  const stop = async () => {
    await Promise.all([web, ...workers].map((process) => process.stop(graceMs)));
  };
  const url = `http://127.0.0.1:${webPort}`;
  try {
    await waitUntilLive(web, url);
    await Promise.all(workers.map((worker, i) => waitUntilLive(worker, `http://127.0.0.1:${workerPorts[i]}`)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, targets: [webPort, ...workerPorts].map((port) => `127.0.0.1:${port}`), stop };
}

/**
 * @param {{ ask: (query: string) => Promise<number[]> }} prometheus
 * @param {(line: string) => void} log
 */
async function askAll(prometheus, log) {
  const queries = await readQueries();
  const deadline = Date.now() + timeoutMs;
  let open = queries;
  while (open.length > 0 && Date.now() < deadline) {
    const answers = await Promise.all(open.map(({ query }) => prometheus.ask(query)));
    open = open.filter((_, i) => answers[i]?.length === 0);
    if (open.length > 0) await delay(1_000);
  }
  for (const { panel, query } of open) log(`FAIL no data for "${panel}": ${query}`);
  if (open.length === 0) log(`ok   ${queries.length} queries of the dashboard, each with data`);
  return open.length;
}

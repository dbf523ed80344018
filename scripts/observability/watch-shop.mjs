import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startRedisServer } from '../redis/index.mjs';
import { checkCalm, drillsOf, runDrill } from './drills.mjs';
import { startLoad } from './load.mjs';
import { startPrometheus } from './prometheus-process.mjs';
import { runQueries } from './run-queries.mjs';
import { WatchedShop } from './watched-shop.mjs';

/**
 * What happened when, in seconds since 1970.
 *
 * @typedef {object} Story
 * @property {number} startedAt
 * @property {{ name: string, at: number }[]} marks
 */

/** @typedef {import('./prometheus-process.mjs').RunningPrometheus} RunningPrometheus */

/**
 * Runs the sample app with a Prometheus that scrapes it and knows the alert rules: first calm, then under load, then
 * through four disasters.
 *
 * @param {string} program
 * @param {(line: string) => void} log
 * @param {(prometheus: RunningPrometheus, story: Story, log: (line: string) => void) => Promise<unknown>} [look] at what was
 *   scraped, in the end
 * @returns {Promise<number>} how many checks failed
 */
export async function watchShop(program, log, look) {
  const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-observability-'));
  /** @type {(() => Promise<unknown>)[]} */
  const closing = [() => rm(dir, { recursive: true, force: true })];
  try {
    const extraArgs = ['--appendfsync', 'always'];
    const redis = await startRedisServer({ dir: path.join(dir, 'redis'), appendOnly: true, extraArgs });
    closing.push(() => redis.stop());
    const shop = new WatchedShop(redis.url, dir);
    closing.push(() => shop.stop());
    await shop.start();
    const prometheus = await startPrometheus(program, path.join(dir, 'prometheus'), shop.targets);
    closing.push(() => prometheus.stop());
    await prometheus.ready();
    log(`the sample app (a web process and two workers) runs, Prometheus scrapes ${shop.targets.join(', ')}`);
    const wrong = await checkCalm(prometheus, shop.targets.length, log);
    /** @type {Story} */
    const story = { startedAt: nowSeconds(), marks: [] };
    const run = async (/** @type {import('./drills.mjs').Drill} */ drill) => {
      story.marks.push({ name: drill.name, at: nowSeconds() });
      return runDrill(prometheus, drill, log);
    };
    const failed = await goThrough({ shop, redisUrl: redis.url, prometheus, log, run });
    await look?.(prometheus, story, log);
    return wrong + failed;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/**
 * @param {object} stage
 * @param {WatchedShop} stage.shop
 * @param {string} stage.redisUrl
 * @param {RunningPrometheus} stage.prometheus
 * @param {(line: string) => void} stage.log
 * @param {(drill: import('./drills.mjs').Drill) => Promise<number>} stage.run
 */
async function goThrough({ shop, redisUrl, prometheus, log, run }) {
  const { poison, flood, kill, full } = drillsOf(shop, redisUrl);
  // Before the load, which has poison of its own.
  let failed = await run(poison);
  const load = startLoad(shop.url);
  try {
    failed += await runQueries(prometheus, log);
  } finally {
    await load.stop();
  }
  failed += await run(full);
  failed += await run(flood);
  // What the flood left is what waits without a worker.
  failed += await run(kill);
  return failed;
}

function nowSeconds() {
  return Date.now() / 1_000;
}

import { setTimeout as delay } from 'node:timers/promises';
import { fillRedis, floodWithExports, send, sendPoison } from './disasters.mjs';

/**
 * @typedef {import('./prometheus-process.mjs').RunningPrometheus} RunningPrometheus
 * @typedef {import('./watched-shop.mjs').WatchedShop} WatchedShop
 * @typedef {(line: string) => void} Log
 */

/** How soon after it happened whoever looks must be told. */
const toldMs = 30_000;

/**
 * What goes wrong, and which alert tells of it.
 *
 * @typedef {object} Drill
 * @property {string} name
 * @property {string} alert
 * @property {() => Promise<(() => Promise<void>) | void>} cause answers what ends it, where it has to be ended
 */

/**
 * @param {WatchedShop} shop
 * @param {string} redisUrl
 * @returns {Record<'poison' | 'flood' | 'kill' | 'full', Drill>}
 */
export function drillsOf(shop, redisUrl) {
  return {
    poison: { name: 'a burst of poison', alert: 'DeadLettersArriving', cause: () => sendPoison(shop.url, 20) },
    flood: { name: 'a flood', alert: 'TaskQueueLagGrowing', cause: () => floodWithExports(shop.url, 1_200) },
    kill: { name: 'killed workers', alert: 'TaskQueueHasNoConsumers', cause: () => shop.killWorkers() },
    full: { name: 'a Redis that is full', alert: 'TaskEnqueueFailing', cause: () => refuseTasks(shop, redisUrl) },
  };
}

/**
 * Lets something go wrong and waits until its alert knows. `pending` is enough where a rule waits for its `for` before it
 * calls somebody: its condition holds.
 *
 * @param {RunningPrometheus} prometheus
 * @param {Drill} drill
 * @param {Log} log
 * @returns {Promise<number>} 1 where it was not told in time
 */
export async function runDrill(prometheus, { name, alert, cause }, log) {
  const before = await stateOf(prometheus, alert);
  if (before !== undefined) return fail(log, `${name}: ${alert} was ${before} before anything happened`);
  const end = await cause();
  const startedAt = performance.now();
  try {
    while (performance.now() - startedAt < toldMs) {
      const state = await stateOf(prometheus, alert);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      if (state !== undefined) {
        log(`ok   ${name}: ${alert} is ${state} ${seconds} s after it happened`);
        return 0;
      }
      await delay(250);
    }
    return fail(log, `${name}: ${alert} says nothing after ${toldMs / 1_000} s`);
  } finally {
    await end?.();
  }
}

/**
 * Waits until every process was scraped so often that a counter can be seen to rise, and asks for alerts then.
 *
 * @param {RunningPrometheus} prometheus
 * @param {number} processCount
 * @param {Log} log
 * @returns {Promise<number>} how many alerts there are although nothing is wrong
 */
export async function checkCalm(prometheus, processCount, log) {
  const isScraped = `count(count_over_time(task_streams_build_info[1m]) >= 3) == ${processCount}`;
  const deadline = performance.now() + toldMs;
  let alerts = ['no scrape'];
  while (alerts.length > 0 && performance.now() < deadline) {
    await delay(500);
    // One that waited for the first scrape is gone with the next look at the rules.
    if ((await prometheus.ask(isScraped)).length > 0) alerts = await prometheus.alerts();
  }
  if (alerts.length === 0) log('ok   no alert while nothing is wrong');
  for (const alert of alerts) fail(log, `${alert} although nothing is wrong`);
  return alerts.length;
}

/**
 * @param {WatchedShop} shop
 * @param {string} redisUrl
 */
async function refuseTasks(shop, redisUrl) {
  const empty = await fillRedis(redisUrl);
  const status = await send(shop.url, 'POST', '/notifications', { to: 'ana@example.com', message: 'Is there room?' });
  if (status === 503) return empty;
  await empty();
  throw new Error(`The shop answered ${status} although Redis is full`);
}

/**
 * @param {RunningPrometheus} prometheus
 * @param {string} name
 */
async function stateOf(prometheus, name) {
  const found = (await prometheus.alerts()).find((alert) => alert.startsWith(`${name} `));
  return found?.split(' ')[1];
}

/**
 * @param {Log} log
 * @param {string} text
 */
function fail(log, text) {
  log(`FAIL ${text}`);
  return 1;
}

import { askRedis } from '../redis/index.mjs';

/**
 * What Redis was kept busy with while something happened: how often, for how long in all, and the longest single command,
 * for which everybody else waited.
 *
 * @typedef {object} Calls
 * @property {number} calls
 * @property {number} seconds
 * @property {number} medianMs
 * @property {number} maxMs
 */

/**
 * @param {string} redisUrl
 * @param {() => Promise<unknown>} work
 * @returns {Promise<{ seconds: number, cpuSeconds: { redis: number, node: number }, scripts: Calls, reads: Calls }>} the time of
 *   the processors tells more than the seconds where other programs work, too
 */
export async function watchCalls(redisUrl, work) {
  await askRedis(redisUrl, [
    ['CONFIG', 'SET', 'latency-tracking-info-percentiles', '50 100'],
    ['CONFIG', 'RESETSTAT'],
  ]);
  const startedAt = performance.now();
  const [node, server] = [process.cpuUsage(), await serverCpu(redisUrl)];
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(node);
  const cpuSeconds = { redis: (await serverCpu(redisUrl)) - server, node: (user + system) / 1_000_000 };
  const info = String((await askRedis(redisUrl, [['INFO', 'commandstats', 'latencystats']]))[0]);
  return { seconds, cpuSeconds, scripts: callsOf(info, 'evalsha'), reads: callsOf(info, 'xrange') };
}

/** @param {string} redisUrl */
async function serverCpu(redisUrl) {
  const info = String((await askRedis(redisUrl, [['INFO', 'cpu']]))[0]);
  return [...info.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)].reduce((total, [, one]) => total + Number(one), 0);
}

/** @param {string} info @param {string} command @returns {Calls} */
function callsOf(info, command) {
  const [, calls = 0, usec = 0] = new RegExp(`^cmdstat_${command}:calls=(\\d+),usec=(\\d+)`, 'm').exec(info) ?? [];
  const times = new RegExp(`^latency_percentiles_usec_${command}:p50=([\\d.]+),p100=([\\d.]+)`, 'm').exec(info) ?? [];
  const [, median = 0, max = 0] = times;
  return {
    calls: Number(calls),
    seconds: Number(usec) / 1_000_000,
    medianMs: Number(median) / 1_000,
    maxMs: Number(max) / 1_000,
  };
}

import { askRedis } from '../redis/index.mjs';

/** Entries a script adds in one go. */
const part = 10_000;
const addEntries = "for i = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'body', '{}') end";

/**
 * Lets tasks wait in a queue; they hold nothing, because only looking at them is measured.
 *
 * @param {string} redisUrl
 * @param {string} queue
 * @param {number} count
 */
export async function fillQueue(redisUrl, queue, count) {
  for (let left = count; left > 0; left -= part) {
    const commands = [['EVAL', addEntries, '1', `ts:{${queue}}:stream`, String(Math.min(left, part))]];
    const [reply] = await askRedis(redisUrl, commands);
    if (reply instanceof Error) throw reply;
  }
}

/**
 * How long Redis itself works on scripts while something happens, in milliseconds.
 *
 * @param {string} redisUrl
 * @param {() => Promise<unknown>} work
 */
export async function scriptMs(redisUrl, work) {
  await askRedis(redisUrl, [['CONFIG', 'RESETSTAT']]);
  await work();
  const [reply] = await askRedis(redisUrl, [['INFO', 'commandstats']]);
  return Number(/^cmdstat_evalsha:calls=\d+,usec=(\d+)/m.exec(String(reply))?.[1] ?? 0) / 1_000;
}

/**
 * Counts what Redis runs while something happens, the commands inside scripts included.
 *
 * @param {string} redisUrl
 * @param {() => Promise<unknown>} work
 * @returns {Promise<Record<string, number>>} calls by command
 */
export async function countCommands(redisUrl, work) {
  await askRedis(redisUrl, [['CONFIG', 'RESETSTAT']]);
  await work();
  const [reply] = await askRedis(redisUrl, [['INFO', 'commandstats']]);
  const calls = [...String(reply).matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)].map(
    ([, name = '', count]) => /** @type {[string, number]} */ ([name, Number(count)]),
  );
  const own = ['info', 'config|resetstat', 'auth'];
  return Object.fromEntries(calls.filter(([name]) => !own.includes(name)));
}

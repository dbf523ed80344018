import { askRedis } from '../redis/index.mjs';

/** Requests that are on their way at once. */
const atOnce = 50;
const requestTimeoutMs = 30_000;

/**
 * Sends more exports than two workers can write for a while.
 *
 * @param {string} url of the shop
 * @param {number} count
 */
export async function floodWithExports(url, count) {
  await repeat(count, () => send(url, 'POST', '/tax-exports', { year: 2025, rows: 200_000 }));
}

/**
 * Sends notifications that no attempt can deliver.
 *
 * @param {string} url of the shop
 * @param {number} count
 */
export async function sendPoison(url, count) {
  await repeat(count, () => send(url, 'POST', '/notifications/poison'));
}

/**
 * Leaves Redis no memory for anything new: it refuses every write that would need some.
 *
 * @param {string} redisUrl
 * @returns {Promise<() => Promise<void>>} gives it back
 */
export async function fillRedis(redisUrl) {
  const setLimit = async (/** @type {string} */ bytes) => {
    const [reply] = await askRedis(redisUrl, [['CONFIG', 'SET', 'maxmemory', bytes]]);
    if (reply instanceof Error) throw reply;
  };
  // Less than a server needs that holds nothing.
  await setLimit('100000');
  return () => setLimit('0');
}

/**
 * Sends a request and leaves its answer.
 *
 * @param {string} url
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<number>} the status
 */
export async function send(url, method, path, body) {
  const response = await fetch(new URL(path, url), {
    method,
    // A connection that was idle may be closed by the shop just when it is used again, and a POST is not sent twice.
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  await response.body?.cancel();
  return response.status;
}

/**
 * @param {number} count
 * @param {() => Promise<number>} request
 */
async function repeat(count, request) {
  let left = count;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const status = await request();
      if (status !== 202) throw new Error(`The shop answered ${status} instead of 202`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, one));
}

import { expect, it } from 'vitest';
import { serviceOf } from '../../support/broker/dead-letters.js';
import { fillLetters } from '../../support/broker/fill-letters.js';
import { openBroker } from '../../support/broker/open-broker.js';

const COUNT = Number(process.env['LETTERS'] ?? 20_000);

/** The best of five: the machine does other things too. */
async function bestMs(what: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const startedAt = performance.now();
    await what();
    times.push(performance.now() - startedAt);
  }
  return Math.min(...times);
}

/** On a busy machine everything takes longer, and so does it to read them all. */
const MOST_MS = 100;

it('pages and groups many dead letters in less than a tenth of a second', async () => {
  const { broker, redis, prefix } = await openBroker();
  const letters = serviceOf(broker);
  const filled = await fillLetters(redis, `${prefix}:{q}:`, COUNT);
  const middle = filled[Math.floor(filled.length / 2) - 1] ?? '';

  const times = {
    first: await bestMs(() => letters.list('q')),
    middle: await bestMs(() => letters.list('q', { cursor: middle })),
    newest: await bestMs(() => letters.list('q', { order: 'newest' })),
    filtered: await bestMs(() =>
      letters.list('q', { fingerprint: (7).toString(16).padStart(16, '0'), cursor: middle }),
    ),
    groups: await bestMs(() => letters.groups('q')),
    count: await bestMs(() => letters.count('q')),
  };
  const allMs = await bestMs(() => redis.xrange(`${prefix}:{q}:dead`, '-', '+'));
  if (process.env['LETTERS']) process.stdout.write(`${JSON.stringify({ COUNT, allMs, times })}\n`);

  expect(Object.entries(times).filter(([, ms]) => ms >= Math.max(MOST_MS, allMs))).toEqual([]);
  expect(await letters.count('q')).toBe(COUNT);
  expect((await letters.groups('q')).reduce((sum, { count }) => sum + count, 0)).toBe(COUNT);
}, 600_000);

import { describe, expect, it } from 'vitest';

import { batchOf, die, serviceOf } from '../../support/broker/dead-letters.js';
import { item, openBroker, type BrokerBench } from '../../support/broker/open-broker.js';

/** The year 2603. */
const FUTURE = '20000000000000-0';
const DAY = 86_400_000;

/** A queue whose streams got an entry with an id from the future: all ids that follow are there, too. */
async function openLater(): Promise<BrokerBench> {
  const bench = await openBroker();
  const { redis, prefix } = bench;
  for (const stream of ['dead', 'audit', 'stream']) {
    await redis.xadd(`${prefix}:{q}:${stream}`, FUTURE, 'hello', 'world');
    if (stream !== 'dead') await redis.xdel(`${prefix}:{q}:${stream}`, FUTURE);
  }
  return bench;
}

const isNow = (ms: number | undefined) => Math.abs(Date.now() - (ms ?? 0)) < DAY;

describe('after one entry with an id from the future', () => {
  it('dead letters are dropped by their age all the same, with the foreign one before them', async () => {
    const { broker, state } = await openLater();
    await die(broker, 'q', [item('a')]);
    expect((await state('q')).dead).toHaveLength(2);

    await expect
      .poll(async () => (await die(broker, 'q', [item('b')], { retention: { deadRecordMs: 1 } }), state('q')))
      .toMatchObject({ dead: ['b'] });
  });

  it('and are not dropped too early', async () => {
    const { broker, state } = await openLater();
    await die(broker, 'q', [item('a'), item('b')], { retention: { deadRecordMs: DAY } });
    expect((await state('q')).dead).toEqual([expect.anything(), 'a', 'b']);

    await die(broker, 'q', [item('c')], { retention: { deadRecordMs: DAY, deadLetterMaxCount: 2 } });
    expect((await state('q')).dead).toEqual(['b', 'c']);
  });

  it('letters know when they came, and are found by that', async () => {
    const { broker } = await openLater();
    const letters = serviceOf(broker);
    await die(broker, 'q', [item('a'), item('b')]);
    const idsOf = async (query: object) => (await letters.list('q', query)).letters.map(({ taskId }) => taskId);
    const recent = { from: Date.now() - DAY, to: new Date(Date.now() + DAY) };

    const found = (await letters.list('q', recent)).letters;
    expect(found.map(({ at }) => isNow(at))).toEqual([true, true]);
    expect(await idsOf({ ...recent, order: 'newest' })).toEqual(['b', 'a']);
    expect(await idsOf({ from: Date.now() + DAY, task: 'job' })).toEqual([]);
    expect(await idsOf({ to: Date.now() - DAY })).toEqual([]);
    expect((await letters.redriveMany('q', recent)).done).toBe(2);
  });

  it('nothing is centuries old, nor in the future', async () => {
    const { broker } = await openLater();
    await die(broker, 'q', [item('a')]);
    await broker.inbox.append('q', [item('w')], 'memory');

    const report = await broker.queues.inspect('q');
    expect(report.oldestDeadMs).toBeLessThan(DAY);
    expect(report.oldestDeadMs).toBeGreaterThanOrEqual(0);
    expect(report.oldestWaitingMs).toBeLessThan(DAY);
    expect((await broker.queues.inspect('q')).oldestWaitingMs).toBeLessThan(DAY);

    const [letter] = (await serviceOf(broker).list('q', { from: Date.now() - DAY, to: Date.now() + DAY })).letters;
    await broker.deadLetters.discard('q', batchOf(letter?.entryId ?? ''));
    expect((await broker.queues.listActions('q', 1, undefined)).records.map(({ at }) => isNow(at))).toEqual([true]);
  });

  it('an entry of the first days of ids is not decades old', async () => {
    const { broker, redis, prefix } = await openBroker();
    await redis.xadd(`${prefix}:{q}:stream`, '1-0', 'hello', 'world');

    expect((await broker.queues.inspect('q')).oldestWaitingMs).toBe(0);
  });
});

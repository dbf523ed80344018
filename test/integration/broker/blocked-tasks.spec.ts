import { describe, expect, it } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { item, openBroker, takeOver } from '../../support/broker/open-broker.js';
import { completion, settlement } from '../../support/broker/settlements.js';

describe('a key that another program wrote over', () => {
  it.each([
    ['the record of a task', 't:b', item('b')],
    ['its idempotency key', 'k:job/key', item('b', {}, { idempotencyKey: 'key' })],
  ])('%s keeps nobody else back, is told by its name, and costs the task no delivery', async (_, key, blocked) => {
    const { broker, another, redis, prefix } = await openBroker({ leaseMs: 300 });
    const at = `${prefix}:{q}:${key}`;
    await broker.inbox.append('q', [item('a'), blocked, item('c')], 'memory');
    await broker.work.ensure('q');
    const record = await redis.get(`${prefix}:{q}:t:b`);
    await redis.del(at);
    await redis.hset(at, 'of', 'another program');

    const turn = await broker.work.turn('q', [], 10);

    expect(turn.deliveries.map(({ taskId }) => taskId)).toEqual(['a', 'c']);
    expect(turn.blocked).toEqual([`b: the key "${at}" holds a hash`]);
    await broker.settle(
      'q',
      turn.deliveries.map((one: Delivery) => settlement(one, completion())),
    );

    await redis.del(at);
    if (key === 't:b') await redis.set(at, record as string);
    expect(await takeOver(another(), 'q')).toMatchObject([{ taskId: 'b', deliveryCount: 1 }]);
  });

  it('of a delayed task is told until it is gone, and the task is moved then', async () => {
    const { broker, redis, prefix } = await openBroker();
    const body = `${prefix}:{q}:d:late`;
    await broker.inbox.append('q', [item('late', {}, { delayMs: 1 }), item('other', {}, { delayMs: 1 })], 'memory');
    const text = await redis.getBuffer(body);
    await redis.del(body);
    await redis.hset(body, 'of', 'another program');

    await expect.poll(() => broker.work.look('q')).toMatchObject({ blocked: `late: the key "${body}" holds a hash` });
    // Nothing is due now, and it is told all the same.
    expect(await broker.work.look('q')).toMatchObject({
      promotedCount: 0,
      blocked: expect.stringContaining('late') as string,
    });
    expect((await broker.tasks.get('q', 'other'))?.state).toBe('waiting');

    await redis.del(body);
    await redis.set(body, text as Buffer);
    await redis.zadd(`${prefix}:{q}:delayed`, 1, 'late');
    await expect.poll(() => broker.work.look('q')).toMatchObject({ blocked: undefined });
    expect((await broker.tasks.get('q', 'late'))?.state).toBe('waiting');
  });
});

describe('an entry with an id from the future', () => {
  it('does not move the time at which later tasks were enqueued', async () => {
    const { broker, redis, prefix } = await openBroker();
    const stream = `${prefix}:{q}:stream`;
    const future = Date.now() + 1_000 * 365 * 86_400_000;
    await broker.work.ensure('q');
    await redis.xadd(stream, `${future}-1`, 'head', '2\nforeign\njob\n\n', 'body', '{}');
    await broker.inbox.append('q', [item('a'), item('b', {}, { idempotencyKey: 'k' })], 'memory');

    const deliveries = await broker.read('q', 3);

    expect(deliveries.map(({ taskId }) => taskId)).toEqual(['foreign', 'a', 'b']);
    for (const { enqueuedAt } of deliveries) expect(Math.abs(enqueuedAt - Date.now())).toBeLessThan(60_000);
    expect((await broker.tasks.get('q', 'a'))?.enqueuedAt).toBeLessThan(Date.now() + 60_000);
  });
});

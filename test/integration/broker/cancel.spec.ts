import { describe, expect, it } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { completion, deadLetter, retry, settlement } from '../../support/broker/settlements.js';

const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;
const ORDER = { reason: 'a wrong year', by: 'ann', recordMs: 60_000 };
const REQUEST = { reason: 'a wrong year', by: 'ann', at: expect.any(Number) };
const GONE = { stream: [], pending: [], delayed: [], dead: [], records: ['a: cancelled'] };

describe('cancelling a task', () => {
  it('takes one that waits out of its queue, and keeps who asked and why, for a time', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    await broker.inbox.append('q', [item('a')], 'memory');

    expect(await broker.tasks.cancel('q', 'a', ORDER)).toEqual({ kind: 'cancelled', state: 'waiting' });

    expect(await state('q')).toMatchObject(GONE);
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'cancelled', cancel: REQUEST });
    expect((await broker.tasks.get('q', 'a'))?.finishedAt).toBeGreaterThan(0);
    const ttl = await redis.pttl(`${prefix}:{q}:t:a`);
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(60_000);
  });

  it('takes a delayed one, and one between two attempts, with its body', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    await broker.inbox.append('q', [item('a', {}, { delayMs: 60_000 })], 'memory');
    const again = one(await deliver(broker, 'r', item('a')));
    await broker.settle('r', [settlement(again, retry(60_000))]);

    expect(await broker.tasks.cancel('q', 'a', ORDER)).toEqual({ kind: 'cancelled', state: 'delayed' });
    expect(await broker.tasks.cancel('r', 'a', ORDER)).toEqual({ kind: 'cancelled', state: 'retrying' });

    expect(await state('q')).toMatchObject(GONE);
    expect(await state('r')).toMatchObject(GONE);
    expect(await redis.keys(`${prefix}:*:d:*`)).toEqual([]);
  });

  it('takes one that was handed back, and frees nothing that is not its own', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a', {}, { idempotencyKey: 'k' })));
    await broker.settle('q', [settlement(delivery, { kind: 'release' }, { keyScope: 'job/k' })]);
    await redis.set(`${prefix}:{q}:k:job/k`, 'L 1-1 other.1.1.1 -');

    expect(await broker.tasks.cancel('q', 'a', ORDER)).toEqual({ kind: 'cancelled', state: 'waiting' });

    expect(await state('q')).toMatchObject(GONE);
    expect(await redis.exists(`${prefix}:{q}:k:job/k`)).toBe(1);
  });

  it('says what was already over, and what is not known', async () => {
    const { broker } = await openBroker();
    await broker.settle('q', [settlement(one(await deliver(broker, 'q', item('a'))), completion())]);

    expect(await broker.tasks.cancel('q', 'a', ORDER)).toEqual({ kind: 'already-ended', state: 'completed' });
    expect(await broker.tasks.cancel('q', 'nobody', ORDER)).toEqual({ kind: 'unknown', state: undefined });
    await broker.inbox.append('q', [item('b')], 'memory');
    await broker.tasks.cancel('q', 'b', ORDER);
    expect(await broker.tasks.cancel('q', 'b', ORDER)).toEqual({ kind: 'already-ended', state: 'cancelled' });
  });

  it('marks one that runs: its worker hears of it with the next renewal and the next look for due tasks', async () => {
    const { broker, another } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    const lease = { owner: delivery, keyScope: undefined };
    expect(await broker.work.renew('q', [lease])).toEqual([true]);

    expect(await another().tasks.cancel('q', 'a', ORDER)).toEqual({ kind: 'requested', state: 'active' });
    expect(await another().tasks.cancel('q', 'a', { ...ORDER, by: 'bob' })).toMatchObject({ kind: 'requested' });

    expect(await broker.work.renew('q', [lease])).toEqual([REQUEST]);
    expect((await broker.work.look('q')).cancels).toEqual([{ entryId: delivery.entryId, request: REQUEST }]);
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'active', cancel: REQUEST });
  });

  it.each([
    ['retry', retry(0)],
    ['retry', retry(60_000)],
    ['dead letter', deadLetter('attempts-exhausted')],
    ['release', { kind: 'release' } as const],
  ])('makes a %s of a marked task its end', async (_, outcome) => {
    const { broker, redis, prefix, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    await broker.tasks.cancel('q', 'a', ORDER);

    expect(await broker.settle('q', [settlement(delivery, outcome)])).toEqual([{ kind: 'cancelled' }]);
    expect(await broker.settle('q', [settlement(delivery, outcome)])).toEqual([{ kind: 'already' }]);

    expect(await state('q')).toMatchObject(GONE);
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'cancelled', cancel: REQUEST });
    expect(await redis.exists(`${prefix}:{q}:cancels`, `${prefix}:{q}:owners`)).toBe(0);
  });

  it('lets a marked task complete, and forgets its mark with a later sweep', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    await broker.tasks.cancel('q', 'a', ORDER);

    expect(await broker.settle('q', [settlement(delivery, completion('1'))])).toEqual([{ kind: 'done' }]);

    expect((await state('q')).records).toEqual(['a: completed']);
    await broker.work.reclaim('q', 10, '0-0');
    expect(await redis.exists(`${prefix}:{q}:cancels`)).toBe(0);
  });

  it('is fenced: who lost the task cannot settle it as cancelled', async () => {
    const options = { leaseMs: 100 };
    const { broker, another, state } = await openBroker(options);
    const delivery = one(await deliver(broker, 'q', item('a')));
    const other = another();
    await expect.poll(async () => (await other.work.reclaim('q', 10, '0-0')).deliveries.length).toBe(1);

    const outcome = { kind: 'cancel', request: { at: 1, reason: 'r', by: 'b' } } as const;
    expect(await broker.settle('q', [settlement(delivery, outcome)])).toEqual([{ kind: 'fenced' }]);

    expect((await state('q')).records).toEqual(['a: active']);
  });

  it('cancels a marked task of a dead worker in place of handing it out again, and frees its key', async () => {
    const { broker, redis, prefix, another, state } = await openBroker({ leaseMs: 100 });
    await deliver(broker, 'q', item('a', {}, { idempotencyKey: 'k' }));
    await broker.tasks.cancel('q', 'a', ORDER);
    await redis.persist(`${prefix}:{q}:k:job/k`);
    const other = another();

    await expect
      .poll(async () => ((await other.work.reclaim('q', 10, '0-0')).deliveries, await state('q')))
      .toMatchObject(GONE);

    expect(await redis.exists(`${prefix}:{q}:cancels`, `${prefix}:{q}:k:job/k`, `${prefix}:{q}:owners`)).toBe(0);
  });

  it('is told in the state of a second task with the id', async () => {
    const { broker } = await openBroker();
    await broker.inbox.append('q', [item('a')], 'memory');
    await broker.tasks.cancel('q', 'a', ORDER);

    const { replies } = await broker.inbox.append('q', [item('a')], 'memory');

    expect(replies).toMatchObject([{ kind: 'duplicate', state: 'cancelled' }]);
  });
});

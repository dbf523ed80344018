import { describe, expect, it } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import type { IdempotencyClaim } from '../../../libs/task-streams/src/contracts/idempotency-store.interface.js';
import { RedisIdempotencyStore } from '../../../libs/task-streams/src/redis/redis-idempotency-store.js';
import { fieldOf } from '../../../libs/task-streams/src/task/entry-fields.js';
import { hashPayload } from '../../../libs/task-streams/src/task/payload-hash.js';
import type { CompleteOutcome } from '../../../libs/task-streams/src/task/task-outcome.js';
import { deliver, item, openBroker, takeOver } from '../../support/broker/open-broker.js';
import { completion, retry, settlement } from '../../support/broker/settlements.js';

const KEY = { idempotencyKey: 'k' };
const SCOPE = 'job/k';
const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;

function committed(json: string): CompleteOutcome {
  return { ...completion(json), key: { scope: SCOPE, ttlMs: 60_000, hash: hashPayload('1') } };
}

function claimOf(owner: Delivery): IdempotencyClaim {
  return {
    owner,
    taskName: 'job',
    key: 'k',
    payloadHash: hashPayload(fieldOf(owner.fields, 'body') ?? ''),
    ttlMs: 60_000,
    preclaim: undefined,
  };
}

describe('idempotency keys in the entry', () => {
  it('lets the first task win, the second wait, and the third have the first one’s result', async () => {
    const { broker, redis, prefix } = await openBroker({ leaseMs: 5_000 });
    const [first, second] = (await deliver(broker, 'q', item('a', 1, KEY), item('b', 1, KEY))) as [Delivery, Delivery];

    expect(first.keyClaim).toEqual({ kind: 'won' });
    expect(second.keyClaim).toEqual({ kind: 'busy', retryInMs: expect.any(Number) as number });

    await broker.settle('q', [settlement(first, committed('{"debit":1}'))]);
    const third = one(await deliver(broker, 'q', item('c', 1, KEY)));
    expect(third.keyClaim).toEqual({ kind: 'replay', resultJson: '{"debit":1}' });
    expect(await redis.pttl(`${prefix}:{q}:k:${SCOPE}`)).toBeGreaterThan(50_000);
  });

  it('calls another payload under a known key a conflict, while it runs and after', async () => {
    const { broker } = await openBroker();
    const [first, second] = (await deliver(broker, 'q', item('a', 1, KEY), item('b', 2, KEY))) as [Delivery, Delivery];
    expect(second.keyClaim).toEqual({ kind: 'conflict' });

    await broker.settle('q', [settlement(first, committed('1'))]);

    expect(one(await deliver(broker, 'q', item('c', 3, KEY))).keyClaim).toEqual({ kind: 'conflict' });
  });

  it('gives the key back to the same entry when another worker takes it over', async () => {
    const { broker, another } = await openBroker({ leaseMs: 100 });
    await deliver(broker, 'q', item('a', 1, KEY));

    expect(one(await takeOver(another(), 'q')).keyClaim).toEqual({ kind: 'won' });
  });

  it('frees the key when the attempt failed', async () => {
    const { broker, redis, prefix } = await openBroker();
    const first = one(await deliver(broker, 'q', item('a', 1, KEY)));

    await broker.settle('q', [settlement(first, retry(60_000), { keyScope: SCOPE })]);

    expect(await redis.exists(`${prefix}:{q}:k:${SCOPE}`)).toBe(0);
    expect(one(await deliver(broker, 'q', item('b', 1, KEY))).keyClaim).toEqual({ kind: 'won' });
  });

  it('keeps the key for as long as its task is with a worker, however long the lock has been silent', async () => {
    const { broker, another, redis, prefix } = await openBroker({ leaseMs: 100 });
    await deliver(broker, 'q', item('a', 1, KEY));
    // Nobody renews: its lease is over, and no sweep has come yet.
    const other = another({ leaseMs: 60_000 });
    await expect
      .poll(async () => (await redis.xpending(`${prefix}:{q}:stream`, 'workers', '-', '+', 1))[0])
      .toSatisfy((row) => (row as [string, string, number])[2] > 200);

    const second = one(await deliver(other, 'q', item('b', 1, KEY)));

    expect(second.keyClaim).toEqual({ kind: 'busy', retryInMs: 1 });
  });

  it('makes a lock again that somebody deleted, with the next renewal', async () => {
    const { broker, redis, prefix } = await openBroker();
    const first = one(await deliver(broker, 'q', item('a', 1, KEY)));
    await redis.del(`${prefix}:{q}:k:${SCOPE}`);

    await broker.work.renew('q', [{ owner: first, keyScope: SCOPE }]);

    expect(one(await deliver(broker, 'q', item('b', 1, KEY))).keyClaim).toMatchObject({ kind: 'busy' });
  });

  it('gives a key away whose holder was settled without it', async () => {
    const { broker } = await openBroker();
    const first = one(await deliver(broker, 'q', item('a', 1, KEY)));
    await broker.settle('q', [settlement(first, completion())]);

    expect(one(await deliver(broker, 'q', item('b', 2, KEY))).keyClaim).toEqual({ kind: 'won' });
  });

  it('leaves the lock of another task alone', async () => {
    const { broker, redis, prefix } = await openBroker();
    const [first, second] = (await deliver(broker, 'q', item('a', 1, KEY), item('b', 1, KEY))) as [Delivery, Delivery];

    await broker.settle('q', [settlement(second, retry(60_000), { keyScope: SCOPE })]);

    expect(await redis.get(`${prefix}:{q}:k:${SCOPE}`)).toContain(first.entryId);
  });

  it('keeps the first result where a lock was lost and both tasks ran', async () => {
    const { broker, redis, prefix } = await openBroker();
    const first = one(await deliver(broker, 'q', item('a', 1, KEY)));
    await redis.del(`${prefix}:{q}:k:${SCOPE}`);
    const second = one(await deliver(broker, 'q', item('b', 1, KEY)));

    await broker.settle('q', [settlement(first, committed('"first"')), settlement(second, committed('"second"'))]);

    expect(one(await deliver(broker, 'q', item('c', 1, KEY))).keyClaim).toEqual({
      kind: 'replay',
      resultJson: '"first"',
    });
  });
});

describe('idempotency keys that the consumer computes', () => {
  it('are claimed as the ones in the entry', async () => {
    const { broker } = await openBroker();
    const store = new RedisIdempotencyStore(broker.session);
    const [a, b, c] = (await deliver(broker, 'q', item('a', 1), item('b', 1), item('c', 2))) as [
      Delivery,
      Delivery,
      Delivery,
    ];

    expect(await store.claim(claimOf(a))).toEqual({ kind: 'won' });
    expect(await store.claim(claimOf(b))).toMatchObject({ kind: 'busy' });
    expect(await store.claim(claimOf(c))).toEqual({ kind: 'conflict' });
    await broker.settle('q', [settlement(a, committed('7'))]);
    expect(await store.claim(claimOf(b))).toEqual({ kind: 'replay', resultJson: '7' });
  });

  it('are refused to a worker that lost the task', async () => {
    const { broker, another } = await openBroker({ leaseMs: 100 });
    const store = new RedisIdempotencyStore(broker.session);
    const stale = one(await deliver(broker, 'q', item('a', 1)));
    await takeOver(another(), 'q');

    await expect(store.claim(claimOf(stale))).rejects.toMatchObject({ code: 'TASK_STREAMS_LEASE_LOST' });
  });

  it('are taken from the claim that came with the entry, without asking again', async () => {
    const { broker } = await openBroker();
    const store = new RedisIdempotencyStore(broker.session);
    const delivery = one(await deliver(broker, 'q', item('a', 1)));

    expect(await store.claim({ ...claimOf(delivery), preclaim: { kind: 'won' } })).toEqual({ kind: 'won' });
  });
});

import { describe, expect, it } from 'vitest';

import type { Delivery, Settlement } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { FRESH_META } from '../../../libs/task-streams/src/task/task-meta.js';
import { deliver, item, openBroker, takeOver } from '../../support/broker/open-broker.js';
import { completion, deadLetter, retry, settlement } from '../../support/broker/settlements.js';

const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;

describe('settling tasks', () => {
  it('completes a task: out of the stream, its result in the record, for a time', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    expect(await state('q')).toMatchObject({
      stream: ['a'],
      pending: [`${delivery.entryId} x1`],
      records: ['a: active'],
    });

    const replies = await broker.settle('q', [settlement(delivery, completion('{"ok":true}'))]);

    expect(replies).toEqual([{ kind: 'done' }]);
    expect(await state('q')).toMatchObject({ stream: [], pending: [], dead: [], records: ['a: completed'] });
    expect(await broker.tasks.get('q', 'a')).toMatchObject({
      state: 'completed',
      result: { ok: true },
      failedAttempts: 0,
    });
    expect(await redis.pttl(`${prefix}:{q}:t:a`)).toBeGreaterThan(3_000_000);
  });

  it('keeps no record where none is wanted', async () => {
    const { broker, redis, prefix } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));

    await broker.settle('q', [settlement(delivery, completion(), { retention: { recordMs: 0 } })]);

    expect((await redis.keys(`${prefix}:{q}:*`)).toSorted()).toEqual(
      ['meta', 'stream', 'wake'].map((key) => `${prefix}:{q}:${key}`),
    );
  });

  it('parks a failed task until it is due, and brings it back with its bytes unchanged', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    const payload = { text: 'Łódź 東京 \u0000 \r\n$5\r\nHELLO', n: 1e308 };
    const delivery = one(await deliver(broker, 'q', item('a', payload)));

    await broker.settle('q', [settlement(delivery, retry(5))]);

    expect(await state('q')).toMatchObject({ stream: [], pending: [], delayed: ['a'], records: ['a: retrying'] });
    expect(await broker.tasks.get('q', 'a')).toMatchObject({
      failedAttempts: 1,
      error: { name: 'Error', message: 'boom' },
    });
    await expect.poll(async () => (await broker.work.look('q')).promotedCount).toBe(1);
    expect(await state('q')).toMatchObject({ stream: ['a'], delayed: [], records: ['a: waiting'] });
    expect(await redis.keys(`${prefix}:{q}:d:*`)).toEqual([]);
    const again = one(await broker.read('q', 1));
    expect(again.fields.slice(0, 4)).toEqual(delivery.fields);
    expect(JSON.parse(again.fields[5] as string)).toMatchObject({ failedAttempts: 1 });
  });

  it('puts a task off without counting an attempt', async () => {
    const { broker, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    const outcome = { kind: 'defer', delayMs: 60_000, meta: FRESH_META, why: 'busy' } as const;

    await broker.settle('q', [settlement(delivery, outcome)]);

    expect(await state('q')).toMatchObject({ stream: [], delayed: ['a'], records: ['a: delayed'] });
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ failedAttempts: 0 });
  });

  it('sets a task aside in one step, with its bytes and the reason', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a', { n: 1 })));

    await broker.settle('q', [settlement(delivery, deadLetter('attempts-exhausted'))]);

    expect(await state('q')).toMatchObject({ stream: [], pending: [], dead: ['a'], records: ['a: dead'] });
    const { letters } = await broker.deadLetters.list('q', 10, undefined);
    expect(letters).toMatchObject([
      { taskId: 'a', name: 'job', body: '{"n":1}', reason: 'attempts-exhausted', sourceEntryId: delivery.entryId },
    ]);
    expect(await redis.pttl(`${prefix}:{q}:t:a`)).toBeGreaterThan(13 * 24 * 3_600_000);
  });

  it('drops a task that is given up without a dead letter, and says so in its record', async () => {
    const { broker, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));

    await broker.settle('q', [settlement(delivery, { ...deadLetter('timeout'), keep: false })]);

    expect(await state('q')).toMatchObject({ stream: [], pending: [], dead: [], records: ['a: dead'] });
  });

  it('sets aside an entry without an id, and one of five thousand fields', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    await broker.work.ensure('q');
    await redis.xadd(`${prefix}:{q}:stream`, '*', 'some', 'thing');
    await redis.xadd(`${prefix}:{q}:stream`, '*', ...Array.from({ length: 10_000 }, (_, i) => `${i}`));
    const deliveries = await broker.read('q', 2);

    const replies = await broker.settle(
      'q',
      deliveries.map((delivery) => settlement(delivery, deadLetter('missing-field'))),
    );

    expect(replies).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(await state('q')).toMatchObject({ stream: [], pending: [] });
    expect(await broker.deadLetters.count('q')).toBe(2);
  });

  it.each([
    ['unchanged', { kind: 'release' }, 1],
    ['one more where the task is to blame', { kind: 'release', burnsHandOut: true }, 2],
  ] as const)('hands a task back so that another worker gets it at once, its count %s', async (_, outcome, count) => {
    const { broker, another, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));

    await broker.settle('q', [settlement(delivery, outcome)]);

    expect(await state('q')).toMatchObject({ stream: ['a'], records: ['a: waiting'] });
    const { deliveries } = await another().work.reclaim('q', 10, '0-0');
    expect(deliveries).toMatchObject([{ taskId: 'a', deliveryCount: count }]);
  });

  it('answers a repeat of a settlement without doing it again', async () => {
    const { broker, state } = await openBroker();
    const [a, b] = (await deliver(broker, 'q', item('a'), item('b'))) as [Delivery, Delivery];
    const settlements: Settlement[] = [settlement(a, completion('1')), settlement(b, deadLetter('timeout'))];
    await broker.settle('q', settlements);

    expect(await broker.settle('q', settlements)).toEqual([{ kind: 'already' }, { kind: 'already' }]);
    expect((await state('q')).dead).toEqual(['b']);
  });

  it.each([
    ['complete', completion()],
    ['retry', retry(0)],
    ['dead letter', deadLetter('timeout')],
    ['release', { kind: 'release' } as const],
  ])('refuses to %s for a worker that lost the task', async (_, outcome) => {
    const { broker, another, state } = await openBroker({ leaseMs: 100 });
    const stale = one(await deliver(broker, 'q', item('a')));
    const other = another();
    const taken = one(await takeOver(other, 'q'));
    const before = await state('q');

    expect(await broker.settle('q', [settlement(stale, outcome)])).toEqual([{ kind: 'fenced' }]);
    expect(await state('q')).toEqual(before);
    expect(await other.settle('q', [settlement(taken, completion())])).toEqual([{ kind: 'done' }]);
    expect(await broker.settle('q', [settlement(stale, outcome)])).toEqual([{ kind: 'fenced' }]);
  });

  it('lets one refused settlement of a batch alone', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    const [a, b] = (await deliver(broker, 'q', item('a'), item('b'))) as [Delivery, Delivery];
    await redis.set(`${prefix}:{q}:dead`, 'not a stream');

    const replies = await broker.settle('q', [settlement(a, deadLetter('timeout')), settlement(b, completion())]);

    expect(replies).toMatchObject([{ kind: 'refused' }, { kind: 'done' }]);
    await redis.del(`${prefix}:{q}:dead`);
    expect((await state('q')).stream).toEqual(['a']);
    expect((await state('q')).records).toEqual(['a: active', 'b: completed']);
  });

  it('answers each settlement of a mixed batch in its place', async () => {
    const { broker, redis, prefix, another, state } = await openBroker({ leaseMs: 100 });
    const lost = one(await deliver(broker, 'q', item('a')));
    await takeOver(another(), 'q');
    const deliveries = await deliver(broker, 'q', item('b'), item('c'), item('d'), item('e'));
    const [b, c, d, e] = deliveries as [Delivery, Delivery, Delivery, Delivery];

    const replies = await broker.settle('q', [
      settlement(b, retry(60_000)),
      settlement(c, completion('3')),
      settlement(lost, completion('1')),
      settlement(d, completion('4'), { retention: { recordMs: 1_800_000 } }),
      settlement({ ...e, token: `${e.token.slice(0, -1)}9` }, completion('5')),
    ]);

    expect(replies.map(({ kind }) => kind)).toEqual(['done', 'done', 'fenced', 'done', 'fenced']);
    expect((await state('q')).records).toEqual([
      'a: active',
      'b: retrying',
      'c: completed',
      'd: completed',
      'e: active',
    ]);
    expect(await broker.tasks.get('q', 'c')).toMatchObject({ result: 3 });
    expect(await redis.pttl(`${prefix}:{q}:t:c`)).toBeGreaterThan(3_000_000);
    expect(await redis.pttl(`${prefix}:{q}:t:d`)).toBeLessThanOrEqual(1_800_000);
  });

  it.each([
    ['longer', (token: string) => `${token}0`],
    ['shorter', (token: string) => token.slice(0, -1)],
    ['without the name of its worker', (token: string) => token.slice(1)],
    ['empty', () => ''],
  ])('refuses to complete with a token that is %s', async (_, change) => {
    const { broker, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    const before = await state('q');

    const replies = await broker.settle('q', [
      settlement({ ...delivery, token: change(delivery.token) }, completion()),
    ]);

    expect(replies).toEqual([{ kind: 'fenced' }]);
    expect(await state('q')).toEqual(before);
  });

  it('commits follow-ups of its own and of another queue with the completion, once', async () => {
    const { broker, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    const outcome = completion('1', [
      { queue: 'q', item: item('a:1') },
      { queue: 'r', item: item('a:2') },
    ]);

    await broker.settle('q', [settlement(delivery, outcome)]);
    await broker.settle('q', [settlement(delivery, outcome)]);

    expect((await state('q')).stream).toEqual(['a:1']);
    expect((await state('r')).stream).toEqual(['a:2']);
    expect((await state('r')).records).toEqual(['a:2: waiting']);
  });

  it('completes nothing whose follow-up cannot be added', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    await redis.set(`${prefix}:{r}:stream`, 'not a stream');

    const replies = await broker.settle('q', [
      settlement(delivery, completion('1', [{ queue: 'r', item: item('f') }])),
    ]);

    expect(replies).toMatchObject([
      { kind: 'follow-up-refused', why: expect.stringMatching(/^"f" for .*:\{r\}:stream: WRONGTYPE/) as string },
    ]);
    expect((await state('q')).records).toEqual(['a: active']);
  });
});

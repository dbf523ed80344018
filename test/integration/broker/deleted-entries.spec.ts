import { describe, expect, it } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import type { TestBroker } from '../../support/broker/test-broker.js';
import { deliver, item, openBroker, takeOver } from '../../support/broker/open-broker.js';
import { completion, retry, settlement } from '../../support/broker/settlements.js';

const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;
const renew = (broker: TestBroker, owner: Delivery) => broker.work.renew('q', [{ owner, keyScope: undefined }]);
const letters = async (broker: TestBroker) => (await broker.deadLetters.list('q', 10, undefined)).letters;

describe('an entry that somebody deletes', () => {
  it('under a living worker keeps its owner, and its completion counts', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    await redis.xtrim(`${prefix}:{q}:stream`, 'MAXLEN', 0);

    expect(await renew(broker, delivery)).toEqual([true]);
    expect(await broker.settle('q', [settlement(delivery, completion('7'))])).toEqual([{ kind: 'done' }]);

    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'completed', result: 7 });
    expect(await state('q')).toMatchObject({ pending: [], dead: [] });
    expect(await redis.exists(`${prefix}:{q}:owners`)).toBe(0);
  });

  it.each([
    ['a retry', retry(10)],
    ['a release', { kind: 'release' as const }],
  ])('under a living worker makes %s a dead letter with id and name', async (_, outcome) => {
    const { broker, redis, prefix } = await openBroker();
    const delivery = one(await deliver(broker, 'q', item('a')));
    await redis.del(`${prefix}:{q}:stream`);
    await broker.work.ensure('q');

    expect(await broker.settle('q', [settlement(delivery, outcome)])).toEqual([{ kind: 'deleted' }]);
    expect(await broker.settle('q', [settlement(delivery, outcome)])).toEqual([{ kind: 'already' }]);

    expect(await letters(broker)).toMatchObject([{ taskId: 'a', name: 'job', reason: 'payload-deleted' }]);
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'dead' });
    expect(await redis.exists(`${prefix}:{q}:owners`)).toBe(0);
  });

  it('becomes a dead letter when its worker dies, before it could renew or after', async () => {
    const { broker, another, redis, prefix } = await openBroker({ leaseMs: 200 });
    const [early] = (await deliver(broker, 'q', item('early'), item('late'))) as [Delivery, Delivery];
    await redis.xtrim(`${prefix}:{q}:stream`, 'MAXLEN', 0);
    expect(await renew(broker, early)).toEqual([true]);
    expect(await redis.hlen(`${prefix}:{q}:owners`)).toBe(2);

    const sweeper = another();
    await expect
      .poll(async () => [await sweeper.work.reclaim('q', 10, '0-0'), await letters(broker)][1])
      .toHaveLength(2);

    expect((await letters(broker)).map(({ taskId, name }) => `${taskId} ${name}`).toSorted()).toEqual([
      'early job',
      'late job',
    ]);
    expect(await redis.exists(`${prefix}:{q}:owners`)).toBe(0);
    expect(await broker.settle('q', [settlement(early, completion())])).toEqual([{ kind: 'fenced' }]);
  });

  it('while it waits is noticed by who asks for it, and by who sends it again', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    await broker.inbox.append('q', [item('asked'), item('sent'), item('cancelled')], 'memory');
    await redis.del(`${prefix}:{q}:stream`);

    expect(await broker.tasks.get('q', 'asked')).toMatchObject({ state: 'dead', error: { name: 'PayloadDeleted' } });
    expect(await letters(broker)).toMatchObject([{ taskId: 'asked', name: 'job', reason: 'payload-deleted' }]);
    expect(
      await broker.tasks.cancel('q', 'cancelled', { recordMs: 1_000, by: undefined, reason: undefined }),
    ).toMatchObject({
      kind: 'cancelled',
    });
    expect(await broker.tasks.get('q', 'cancelled')).toMatchObject({ state: 'cancelled' });

    const { replies } = await broker.inbox.append('q', [item('asked'), item('sent')], 'memory');
    expect(replies).toMatchObject([{ kind: 'added' }, { kind: 'added' }]);
    expect((await state('q')).stream).toEqual(['asked', 'sent']);
  });

  it('does not let more tasks in than the limit says', async () => {
    const { broker, redis, prefix } = await openBroker({ queues: { q: { maxBacklog: 5 } } });
    const running: Delivery[] = [];
    for (const part of [0, 1]) {
      running.push(...(await deliver(broker, 'q', ...Array.from({ length: 5 }, (_, i) => item(`r${part}${i}`)))));
    }
    await redis.xtrim(`${prefix}:{q}:stream`, 'MAXLEN', 0);
    await broker.work.renew(
      'q',
      running.map((owner) => ({ owner, keyScope: undefined })),
    );

    const { replies } = await broker.inbox.append(
      'q',
      Array.from({ length: 15 }, (_, i) => item(`w${i}`)),
      'memory',
    );

    expect(replies.filter(({ kind }) => kind === 'added')).toHaveLength(5);
  });

  it('is lost to nobody where only the group was made anew', async () => {
    const { broker, another, redis, prefix } = await openBroker({ leaseMs: 200 });
    const delivery = one(await deliver(broker, 'q', item('a')));
    await redis.xgroup('DESTROY', `${prefix}:{q}:stream`, 'workers');
    await broker.work.ensure('q');

    expect(await renew(broker, delivery)).toEqual([false]);
    expect(one(await another().read('q', 1))).toMatchObject({ taskId: 'a' });
    expect(await takeOver(another(), 'q')).toMatchObject([{ taskId: 'a' }]);
  });
});

import { describe, expect, it } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { FRESH_META } from '../../../libs/task-streams/src/task/task-meta.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { batchOf } from '../../support/broker/dead-letters.js';
import { completion, deadLetter, settlement } from '../../support/broker/settlements.js';

const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;

describe('delayed tasks', () => {
  it('become due by the clock of Redis, in order, each once, whoever promotes', async () => {
    const { broker, another, state } = await openBroker();
    const others = [broker, another(), another()];
    await broker.inbox.append(
      'q',
      Array.from({ length: 250 }, (_, i) => item(`${i}`, {}, { delayMs: 1 + i })),
      'memory',
    );

    await expect
      .poll(async () => {
        await Promise.all(others.map((each) => each.work.look('q')));
        return (await state('q')).stream.length;
      })
      .toBe(250);

    expect((await state('q')).stream).toEqual(Array.from({ length: 250 }, (_, i) => `${i}`));
    expect(await state('q')).toMatchObject({ delayed: [] });
  });

  it('tell when the next one is due', async () => {
    const { broker } = await openBroker();
    expect(await broker.work.look('q')).toMatchObject({ promotedCount: 0, nextInMs: undefined, blocked: undefined });
    await broker.inbox.append('q', [item('a', {}, { delayMs: 60_000 })], 'memory');

    const { nextInMs } = await broker.work.look('q');

    expect(nextInMs).toBeGreaterThan(59_000);
    expect(nextInMs).toBeLessThanOrEqual(60_000);
  });

  it('keep nobody back where one of them cannot be moved, and add nothing twice', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    await broker.inbox.append(
      'q',
      ['a', 'bad', 'worse', 'b'].map((id, i) => item(id, {}, { delayMs: 1 + i })),
      'memory',
    );
    const record = (await redis.get(`${prefix}:{q}:t:bad`)) as string;
    await redis.del(`${prefix}:{q}:t:bad`);
    await redis.lpush(`${prefix}:{q}:t:bad`, 'not a record');
    await redis.set(`${prefix}:{q}:d:worse`, 'no MessagePack \xc1');

    await expect.poll(async () => [await broker.work.look('q'), await redis.xlen(`${prefix}:{q}:stream`)][1]).toBe(2);
    expect(await broker.work.look('q')).toMatchObject({ promotedCount: 0 });
    await redis.del(`${prefix}:{q}:t:bad`);
    await redis.set(`${prefix}:{q}:t:bad`, record);

    expect(await state('q')).toMatchObject({ stream: ['a', 'b'], delayed: ['bad', 'worse'] });
  });

  it('become dead letters that say so where their payload is gone', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    await broker.inbox.append('q', [item('a', {}, { delayMs: 1 })], 'memory');
    await redis.del(`${prefix}:{q}:d:a`);

    await expect.poll(async () => [await broker.work.look('q'), await broker.deadLetters.count('q')][1]).toBe(1);

    const { letters } = await broker.deadLetters.list('q', 1, undefined);
    expect(letters).toMatchObject([{ taskId: 'a', name: 'job', reason: 'payload-deleted' }]);
    expect(await state('q')).toMatchObject({ stream: [], delayed: [], records: ['a: dead'] });
  });

  it('say when they are due', async () => {
    const { broker } = await openBroker();
    const runAt = Date.now() + 60_000;
    await broker.inbox.append('q', [item('a', {}, { runAt })], 'memory');

    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'delayed', dueAt: runAt, finishedAt: undefined });
  });
});

describe('dead letters', () => {
  it('are listed oldest first, a page at a time', async () => {
    const { broker } = await openBroker();
    const deliveries = await deliver(broker, 'q', item('a'), item('b'), item('c'));
    await broker.settle(
      'q',
      deliveries.map((each) => settlement(each, deadLetter('timeout'))),
    );

    const first = await broker.deadLetters.list('q', 2, undefined);
    const second = await broker.deadLetters.list('q', 2, first.cursor);

    expect(first.letters.map((letter) => letter.taskId)).toEqual(['a', 'b']);
    expect(second).toMatchObject({ letters: [{ taskId: 'c' }], cursor: undefined });
  });

  it('go back to their queue under their own id, mended, all attempts before them', async () => {
    const { broker, state } = await openBroker();
    const dead = one(await deliver(broker, 'q', item('a', { n: 'bad' })));
    await broker.settle('q', [settlement(dead, deadLetter('validation'))]);
    const { letters } = await broker.deadLetters.list('q', 1, undefined);
    const entryId = letters[0]?.entryId as string;
    const plan = { entryId, meta: { ...FRESH_META, redriveCount: 1 }, body: { json: '{"n":1}', hash: 'new' } };

    const { replies } = await broker.deadLetters.redrive('q', batchOf(plan), false);

    expect(replies).toMatchObject([{ kind: 'moved', taskId: 'a', name: 'job' }]);

    expect(await state('q')).toMatchObject({ stream: ['a'], dead: [], records: ['a: waiting'] });
    const again = one(await broker.read('q', 1));
    expect(again.fields).toContain('{"n":1}');
    expect(again.fields.some((field) => field.startsWith('dead.'))).toBe(false);
    await broker.settle('q', [settlement(again, completion('true'))]);
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'completed', result: true });
  });

  it('are redriven once', async () => {
    const { broker } = await openBroker();
    const dead = one(await deliver(broker, 'q', item('a')));
    await broker.settle('q', [settlement(dead, deadLetter('validation'))]);
    const { letters } = await broker.deadLetters.list('q', 1, undefined);
    const plan = { entryId: letters[0]?.entryId as string, meta: FRESH_META, body: undefined };

    const both = await Promise.all([1, 2].map(() => broker.deadLetters.redrive('q', batchOf(plan), false)));

    expect(both.flatMap(({ replies }) => replies.map(({ kind }) => kind)).sort()).toEqual(['gone', 'moved']);
  });

  it('keep no more than the newest', async () => {
    const { broker } = await openBroker();
    const deliveries = await deliver(broker, 'q', ...Array.from({ length: 500 }, (_, i) => item(`${i}`)));
    await broker.settle(
      'q',
      deliveries.map((each) => settlement(each, deadLetter('timeout'), { retention: { deadLetterMaxCount: 100 } })),
    );

    expect(await broker.deadLetters.count('q')).toBe(100);
    expect(await broker.deadLetters.readTotals('q')).toMatchObject({ added: 500, dropped: 400 });
    expect((await broker.deadLetters.list('q', 1000, undefined)).letters.at(-1)?.taskId).toBe('499');
  });
});

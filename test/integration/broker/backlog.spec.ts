import { describe, expect, inject, it } from 'vitest';

import { EnqueueManyError, QueueFullError } from '../../../libs/task-streams/src/index.js';
import { startCaseApp } from '../../cases/support/case-app.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { completion, settlement } from '../../support/broker/settlements.js';

const items = (count: number, prefix = 't') => Array.from({ length: count }, (_, i) => item(`${prefix}${i}`));
const kinds = (reply: { readonly replies: readonly { readonly kind: string }[] }) =>
  reply.replies.map(({ kind }) => kind);

describe('a queue with a limit', () => {
  const limited = { queues: { q: { maxBacklog: 3 } } };

  it('takes tasks up to it and refuses the others, of one call too, and leaves nothing of them', async () => {
    const { broker, state } = await openBroker(limited);

    const { replies } = await broker.inbox.append('q', items(5), 'memory');

    expect(replies.slice(0, 3)).toMatchObject([{ kind: 'added' }, { kind: 'added' }, { kind: 'added' }]);
    expect(replies.slice(3)).toEqual([
      { kind: 'full', waiting: 3, limit: 3 },
      { kind: 'full', waiting: 3, limit: 3 },
    ]);
    expect((await state('q')).records).toEqual(['t0: waiting', 't1: waiting', 't2: waiting']);
    expect(kinds(await broker.inbox.append('r', items(5), 'memory'))).toEqual(Array(5).fill('added'));
  });

  it('still knows the tasks it has', async () => {
    const { broker } = await openBroker(limited);
    await broker.inbox.append('q', items(3), 'memory');

    expect(kinds(await broker.inbox.append('q', [item('t1'), item('new'), item('t2')], 'memory'))).toEqual([
      'duplicate',
      'full',
      'duplicate',
    ]);
  });

  it('counts tasks that are delayed, and none that run', async () => {
    const { broker } = await openBroker(limited);
    await deliver(broker, 'q', item('runs'), item('runs too'));
    await broker.inbox.append('q', [item('later', {}, { delayMs: 60_000 })], 'memory');

    expect(kinds(await broker.inbox.append('q', items(3), 'memory'))).toEqual(['added', 'added', 'full']);
    expect(kinds(await broker.inbox.append('q', [item('later too', {}, { delayMs: 60_000 })], 'memory'))).toEqual([
      'full',
    ]);
  });

  it('keeps to it while many send at the same time', async () => {
    const { broker, another, redis, prefix } = await openBroker({ queues: { q: { maxBacklog: 20 } } });
    const second = another();
    const calls = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? broker : second).inbox.append('q', items(5, `c${i}-`), 'memory'),
    );

    const added = (await Promise.all(calls)).flatMap(kinds).filter((kind) => kind === 'added');

    expect(added).toHaveLength(20);
    expect(await redis.xlen(`${prefix}:{q}:stream`)).toBe(20);
  });

  it('refuses no follow-up: the completion of a task does not depend on it', async () => {
    const { broker, state } = await openBroker({ queues: { q: { maxBacklog: 1 } } });
    const [owner] = await deliver(broker, 'q', item('parent'));
    await broker.inbox.append('q', [item('waits')], 'memory');

    const followUps = [{ queue: 'q', item: item('child') }];
    const replies = owner && (await broker.settle('q', [settlement(owner, completion('1', followUps))]));

    expect(replies).toEqual([{ kind: 'done' }]);
    expect((await state('q')).stream).toEqual(['waits', 'child']);
  });

  it('tells the sender how full it is, and of a list which tasks are not in', async () => {
    const { prefix } = await openBroker();
    const options = { queues: { q: { maxBacklog: 2 } } };
    const { client } = await startCaseApp({ url: inject('redisUrl'), prefix, isProducer: true, options });
    const list = ['a', 'b', 'c'].map((id) => ({ task: 'job', payload: {}, options: { id, queue: 'q' } }));

    const partly: unknown = await client.enqueueMany(list).catch((error: unknown) => error);
    const refused: unknown = await client.enqueue('job', {}, { queue: 'q' }).catch((error: unknown) => error);

    expect(partly).toBeInstanceOf(EnqueueManyError);
    expect(partly).toMatchObject({ enqueued: [{ id: 'a' }, { id: 'b' }], uncertain: [], notEnqueued: [{ id: 'c' }] });
    expect(refused).toBeInstanceOf(QueueFullError);
    expect(refused).toMatchObject({ waiting: 2, limit: 2, code: 'TASK_STREAMS_QUEUE_FULL' });
    expect((refused as Error).message).toContain('2 tasks wait in queue "q", and its maxBacklog is 2');
  });
});

describe('an enqueue that waits for room', () => {
  const waiting = { queues: { q: { maxBacklog: 2, onFull: 'wait' as const } } };

  it('adds the tasks when there is some', async () => {
    const { broker } = await openBroker(waiting);
    const sent = broker.inbox.append('q', items(4), 'memory');
    await expect.poll(async () => (await broker.queues.inspect('q')).waiting).toBe(2);

    await broker.work.ensure('q');
    await broker.read('q', 2);

    expect(kinds(await sent)).toEqual(Array(4).fill('added'));
  });

  it('gives up at the deadline of the enqueue', async () => {
    const { broker } = await openBroker({ ...waiting, enqueueTimeoutMs: 1_000 });
    expect(kinds(await broker.inbox.append('q', items(3), 'memory'))).toEqual(['added', 'added', 'full']);
  });

  it('says of each task what became of it when Redis goes away meanwhile', async () => {
    const { broker } = await openBroker({ ...waiting, enqueueTimeoutMs: 1_000 });
    const sent = broker.inbox.append('q', items(3), 'memory');
    await expect.poll(async () => (await broker.queues.inspect('q')).waiting).toBe(2);

    await broker.server.close();

    const { replies } = await sent;
    expect(replies.slice(0, 2)).toMatchObject([{ kind: 'added' }, { kind: 'added' }]);
    expect(replies[2]?.kind).toBe('failed');
  });
});

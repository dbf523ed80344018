import { describe, expect, it } from 'vitest';

import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { QueueControl } from '../../../libs/task-streams/src/operate/queue-control.js';
import type { QueueStore } from '../../../libs/task-streams/src/contracts/queue-store.interface.js';
import { settleAsDead } from '../../support/broker/dead-letters.js';
import { deliver, item, openBroker, type BrokerBench } from '../../support/broker/open-broker.js';
import { completion, retry, settlement } from '../../support/broker/settlements.js';

const HOUR = 3_600_000;

const many = (prefix: string, count: number, delayMs = 0) =>
  Array.from({ length: count }, (_, i) => item(`${prefix}${i}`, { i }, { delayMs }));

/** Drains, and does something after the first step. */
async function drainWith(
  { broker }: BrokerBench,
  meanwhile: () => Promise<unknown>,
  action: 'drain' | 'purge' = 'drain',
): Promise<Readonly<Record<string, number>>> {
  let isFirst = true;
  const steps: Pick<QueueStore, 'drainStep'> = {
    drainStep: async (...args) => {
      const reply = await broker.queues.drainStep(...args);
      if (isFirst) await meanwhile();
      isFirst = false;
      return reply;
    },
  };
  const control = new QueueControl(
    { queues: Object.assign(Object.create(broker.queues) as QueueStore, steps) },
    resolveOptions(),
  );
  return action === 'drain' ? control.drain('q', { delayed: true }) : control.purge('q', { confirm: 'q' });
}

describe('a drain ends at what was there when it began', () => {
  it('leaves what is enqueued meanwhile, due earlier or not, and cancels all that was there', async () => {
    const bench = await openBroker();
    const { broker, state } = bench;
    await broker.inbox.append('q', [...many('w', 300), ...many('d', 600, HOUR)], 'memory');

    const removed = await drainWith(bench, () =>
      broker.inbox.append(
        'q',
        [...many('new', 3), ...many('early', 50, HOUR / 2), ...many('late', 50, 2 * HOUR)],
        'memory',
      ),
    );

    expect(removed).toEqual({ waiting: 300, delayed: 600, dead: 0 });
    const after = await state('q');
    expect(after.stream).toEqual(['new0', 'new1', 'new2']);
    expect(after.delayed.filter((id) => /^(early|late)/.test(id))).toHaveLength(100);
    expect(after.delayed).toHaveLength(100);
    expect(after.records.filter((each) => /^[wd]\d+: cancelled$/.test(each))).toHaveLength(900);
  });

  it('and so does the next one, and one after the marks of the queue are gone', async () => {
    const bench = await openBroker();
    const { broker, redis, prefix, state } = bench;
    await broker.inbox.append('q', many('a', 2, HOUR), 'memory');
    await drainWith(bench, () => broker.inbox.append('q', many('b', 2, HOUR), 'memory'));
    await drainWith(bench, () => broker.inbox.append('q', many('c', 2, HOUR), 'memory'));
    expect((await state('q')).delayed).toEqual(['c0', 'c1']);
    await redis.hdel(`${prefix}:{q}:meta`, 'drain');

    await drainWith(bench, () => broker.inbox.append('q', many('e', 2, HOUR), 'memory'));

    expect((await state('q')).delayed).toEqual(['e0', 'e1']);
  });

  it('cancels what is rescheduled meanwhile, to an earlier or a later time or for now', async () => {
    const bench = await openBroker();
    const { broker, state } = bench;
    const ids = many('d', 450, HOUR).map(({ id }) => id);
    await broker.inbox.append('q', many('d', 450, HOUR), 'memory');
    const left: string[] = [];

    const removed = await drainWith(bench, async () => {
      for (const [i, id] of ids.entries()) {
        const reply = await broker.tasks.reschedule('q', id, {
          delayMs: [HOUR / 2, HOUR * 9, 0][i % 3] as number,
          runAt: 0,
        });
        if (reply.kind === 'promoted') left.push(id);
      }
    });

    expect(left).toEqual([]);
    expect(removed).toMatchObject({ delayed: 450 });
    const { stream, delayed, records } = await state('q');
    expect({ stream, delayed }).toEqual({ stream: [], delayed: [] });
    expect(records.filter((each) => each.endsWith(': cancelled'))).toHaveLength(450);
  });

  it('cancels what becomes due meanwhile, and moves what came later', async () => {
    const bench = await openBroker();
    const { broker, redis, prefix, state } = bench;
    await broker.inbox.append('q', many('d', 450, HOUR), 'memory');

    const removed = await drainWith(bench, async () => {
      await broker.inbox.append('q', [item('new', {}, { delayMs: HOUR })], 'memory');
      const delayed = `${prefix}:{q}:delayed`;
      for (const id of await redis.zrange(delayed, '0', '-1')) await redis.zadd(delayed, '1', id);
      while ((await broker.work.look('q')).nextInMs === 0);
    });

    expect(removed).toMatchObject({ waiting: 0, delayed: 450 });
    expect(await state('q')).toMatchObject({ stream: ['new'], delayed: [] });
  });

  it('leaves a task that ran when it began, with the retry that is parked meanwhile', async () => {
    const bench = await openBroker();
    const { broker, state } = bench;
    const [running, other] = await deliver(broker, 'q', item('running'), item('other'));
    await broker.inbox.append('q', many('d', 900, HOUR), 'memory');

    await drainWith(bench, () => broker.settle('q', [settlement(running as never, retry(HOUR))]));

    expect(await state('q')).toMatchObject({ delayed: ['running'] });
    expect(await broker.settle('q', [settlement(other as never, completion())])).toEqual([{ kind: 'done' }]);
  });

  it('counts what others cancel meanwhile as theirs, and leaves a new task with an id of before', async () => {
    const bench = await openBroker();
    const { broker, state } = bench;
    await broker.inbox.append('q', many('d', 600, HOUR), 'memory');
    const last = [597, 598, 599].map((i) => `d${i}`) as [string, string, string];

    const removed = await drainWith(bench, async () => {
      const cancel = { reason: 'by hand', by: 'ann', recordMs: HOUR };
      for (const id of last.slice(0, 2))
        expect(await broker.tasks.cancel('q', id, cancel)).toMatchObject({ kind: 'cancelled' });
      await broker.tasks.reschedule('q', last[2], { delayMs: HOUR * 9, runAt: 0 });
      await broker.queues.forgetId('q', last[0]);
      await broker.inbox.append('q', [item(last[0], { is: 'new' }, { delayMs: HOUR / 2 })], 'memory');
    });

    expect(removed).toMatchObject({ delayed: 598 });
    expect(await state('q')).toMatchObject({ stream: [], delayed: [last[0]] });
    expect(await broker.tasks.get('q', last[1])).toMatchObject({ state: 'cancelled', cancel: { by: 'ann' } });
    expect(await broker.tasks.get('q', last[2])).toMatchObject({
      state: 'cancelled',
      cancel: { reason: 'the queue was drained' },
    });
  });

  it('and where it was stopped, a second one takes the rest', async () => {
    const { broker, state } = await openBroker();
    const control = new QueueControl(broker, resolveOptions());
    await broker.inbox.append('q', [...many('w', 300), ...many('d', 500, HOUR)], 'memory');
    const stop = new AbortController();
    const { signal } = stop;

    const first = await control.drain('q', {
      delayed: true,
      signal,
      onProgress: ({ delayed }) => delayed > 0 && stop.abort(),
    });
    await broker.inbox.append('q', many('new', 5, HOUR), 'memory');
    const second = await control.drain('q', { delayed: true });

    expect(first).toMatchObject({ waiting: 300, delayed: 200 });
    expect(second).toMatchObject({ waiting: 0, delayed: 305 });
    expect(await state('q')).toMatchObject({ stream: [], delayed: [] });
  });

  it('takes a retry that was parked before', async () => {
    const bench = await openBroker();
    const { broker, state } = bench;
    await drainWith(bench, () => Promise.resolve());
    const [running] = await deliver(broker, 'q', item('running'));
    await broker.settle('q', [settlement(running as never, retry(HOUR))]);

    expect(await drainWith(bench, () => Promise.resolve())).toMatchObject({ delayed: 1 });
    expect(await state('q')).toMatchObject({ delayed: [], records: ['running: cancelled'] });
  });

  it('is over soon after its process is gone', async () => {
    const { broker, redis, prefix, state } = await openBroker();
    await broker.inbox.append('q', [item('d', {}, { delayMs: HOUR })], 'memory');
    const bounds = await broker.queues.beginDrain('q', true);
    const meta = `${prefix}:{q}:meta`;
    await broker.queues.drainStep('q', {
      place: 'waiting',
      bounds,
      cursor: undefined,
      recordMs: 0,
      by: undefined,
      reason: 'x',
    });
    expect(await redis.hget(meta, 'drain')).toMatch(/^\d+ \d+ \d+ 0 0 \{/);
    await redis.hset(meta, 'drain', ((await redis.hget(meta, 'drain')) ?? '').replace(/^(\d+) \d+/, '$1 1'));

    await broker.tasks.reschedule('q', 'd', { delayMs: 0, runAt: 0 });

    expect((await state('q')).stream).toEqual(['d']);
  });
});

describe('what a drain finds', () => {
  it('is not what runs, where the group is gone', async () => {
    const bench = await openBroker();
    const { broker, redis, prefix } = bench;
    const [running] = await deliver(broker, 'q', item('running'));
    await redis.xgroup('DESTROY', `${prefix}:{q}:stream`, 'workers');

    expect(await drainWith(bench, () => Promise.resolve())).toMatchObject({ waiting: 0 });
    expect(await broker.settle('q', [settlement(running as never, completion())])).toEqual([{ kind: 'done' }]);
  });

  it('keeps nobody back where it cannot be removed', async () => {
    const bench = await openBroker();
    const { broker, redis, prefix, state } = bench;
    await broker.inbox.append('q', [...many('w', 3), ...many('d', 3, HOUR)], 'memory');
    for (const id of ['w1', 'd1']) {
      await redis.del(`${prefix}:{q}:t:${id}`);
      await redis.hset(`${prefix}:{q}:t:${id}`, 'a', 'b');
    }

    await expect(drainWith(bench, () => Promise.resolve())).rejects.toThrow(/could not be removed.*d1: WRONGTYPE/);

    await redis.del(`${prefix}:{q}:t:w1`, `${prefix}:{q}:t:d1`);
    expect(await state('q')).toMatchObject({ stream: ['w1'], delayed: ['d1'] });
  });

  it('is told step by step, and stops where it is told to', async () => {
    const { broker, state } = await openBroker();
    const control = new QueueControl(broker, resolveOptions());
    await broker.inbox.append('q', many('d', 500, HOUR), 'memory');
    const stop = new AbortController();
    const told: number[] = [];

    const removed = await control.drain('q', {
      delayed: true,
      signal: stop.signal,
      onProgress: ({ delayed }) => {
        told.push(delayed);
        if (delayed > 0) stop.abort();
      },
    });

    expect(removed.delayed).toBe(told.at(-1));
    expect(removed.delayed).toBeLessThan(500);
    expect((await state('q')).delayed).toHaveLength(500 - removed.delayed);
  });

  it('of dead letters is what was dead when a purge began', async () => {
    const bench = await openBroker();
    const { broker, state } = bench;
    const deliveries = await deliver(broker, 'q', ...many('x', 3));

    await settleAsDead(broker, 'q', deliveries.slice(0, 2));

    expect(await drainWith(bench, () => settleAsDead(broker, 'q', deliveries.slice(2)), 'purge')).toMatchObject({
      dead: 2,
    });

    expect(await state('q')).toMatchObject({ dead: ['x2'], records: ['x2: dead'] });
  });
});

import { describe, expect, it } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { TaskCatalog } from '../../../libs/task-streams/src/producer/task-catalog.js';
import { TaskClient } from '../../../libs/task-streams/src/producer/task-client.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { retry, settlement } from '../../support/broker/settlements.js';

const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;
const A = { queue: 'q', id: 'a' };

async function open() {
  const bench = await openBroker();
  const client = new TaskClient({ broker: bench.broker, options: resolveOptions(), catalog: new TaskCatalog() });
  return { ...bench, client };
}

describe('a task that waits for a time', () => {
  it('gets another one', async () => {
    const { broker, client, state } = await open();
    await broker.inbox.append('q', [item('a', {}, { delayMs: 60_000 })], 'memory');
    const runAt = new Date(Date.now() + 3_600_000);

    expect(await client.reschedule(A, { runAt })).toEqual({ kind: 'rescheduled', runAt });

    expect(await client.get(A)).toMatchObject({ state: 'delayed', runAt });
    expect((await broker.work.look('q')).nextInMs).toBeGreaterThan(3_500_000);
    expect(await state('q')).toMatchObject({ stream: [], delayed: ['a'] });
    const later = await client.reschedule(A, { delayMs: 10_000 });
    expect(later).toMatchObject({ kind: 'rescheduled' });
    expect((await broker.work.look('q')).nextInMs).toBeLessThanOrEqual(10_000);
  });

  it('runs now when it is promoted, or its new time is over, with its bytes and counters as they were', async () => {
    const { broker, client, state } = await open();
    const failed = one(await deliver(broker, 'q', item('a', { n: 1 })));
    await broker.settle('q', [settlement(failed, retry(60_000))]);
    await broker.inbox.append('q', [item('b', {}, { delayMs: 60_000 })], 'memory');

    expect(await client.promote(A)).toEqual({ kind: 'promoted' });
    expect(await client.reschedule({ queue: 'q', id: 'b' }, { runAt: new Date('2020-01-01') })).toEqual({
      kind: 'promoted',
    });

    expect(await state('q')).toMatchObject({ stream: ['a', 'b'], delayed: [], records: ['a: waiting', 'b: waiting'] });
    const again = await broker.read('q', 2);
    expect(again[0]).toMatchObject({ taskId: 'a', failedAttempts: 1 });
    expect(again[0]?.fields).toContain('{"n":1}');
  });

  it('is promoted once, whoever does it', async () => {
    const { broker, client, state } = await open();
    await broker.inbox.append('q', [item('a', {}, { delayMs: 1 })], 'memory');

    await Promise.all([client.promote(A), broker.work.look('q'), client.promote(A)]);
    await expect
      .poll(async () => (await broker.work.look('q'), await state('q')))
      .toMatchObject({ stream: ['a'], delayed: [] });
  });
});

describe('a task that does not wait for a time', () => {
  it('is left alone, and what it is at is told', async () => {
    const { broker, client } = await open();
    await broker.inbox.append('q', [item('a')], 'memory');
    expect(await client.reschedule(A, { delayMs: 1 })).toEqual({ kind: 'not-delayed', state: 'waiting' });
    await broker.work.ensure('q');
    await broker.read('q', 1);
    expect(await client.promote(A)).toEqual({ kind: 'not-delayed', state: 'active' });
    await client.cancel({ queue: 'q', id: 'a' });
    expect(await client.promote({ queue: 'q', id: 'nobody' })).toEqual({ kind: 'unknown' });
  });

  it('is refused a time that is none, before Redis is asked', async () => {
    const { client } = await open();

    await expect(client.reschedule(A, {})).rejects.toMatchObject({ code: 'TASK_STREAMS_USAGE' });
    await expect(client.reschedule(A, { delayMs: -1 })).rejects.toThrow('reschedule.delayMs');
    await expect(client.reschedule(A, { delayMs: 1, runAt: 1 })).rejects.toThrow('reschedule.runAt');
    await expect(client.promote(A, { actor: 5 as never })).rejects.toThrow('promote.actor');
  });
});

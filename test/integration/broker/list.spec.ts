import { describe, expect, it } from 'vitest';

import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import type { ListTasksOptions } from '../../../libs/task-streams/src/producer/check-list-options.js';
import { TaskCatalog } from '../../../libs/task-streams/src/producer/task-catalog.js';
import { TaskClient } from '../../../libs/task-streams/src/producer/task-client.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { deadLetter, retry, settlement } from '../../support/broker/settlements.js';

async function open() {
  const bench = await openBroker();
  const client = new TaskClient({ broker: bench.broker, options: resolveOptions(), catalog: new TaskCatalog() });
  /** The ids of all pages. */
  const ids = async (options: ListTasksOptions): Promise<string[]> => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.list('q', { ...options, cursor });
      found.push(...page.tasks.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    return found;
  };
  return { ...bench, client, ids };
}

const many = (count: number, delayMs = 0) => Array.from({ length: count }, (_, i) => item(`${i}`, {}, { delayMs }));

describe('listing tasks', () => {
  it('goes through what waits in the order of the queue, a page at a time', async () => {
    const { broker, client, ids } = await open();
    await deliver(broker, 'q', item('running'));
    await broker.inbox.append('q', many(7), 'memory');

    const page = await client.list('q', { state: 'waiting', limit: 3 });

    expect(page.tasks.map(({ id, state, name }) => [id, state, name])).toEqual([
      ['0', 'waiting', 'job'],
      ['1', 'waiting', 'job'],
      ['2', 'waiting', 'job'],
    ]);
    expect(page.cursor).toBeDefined();
    expect(await ids({ state: 'waiting', limit: 3 })).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  it('shows what runs, and whose end was asked for', async () => {
    const { broker, client, ids } = await open();
    await deliver(broker, 'q', ...many(5));
    await client.cancel({ queue: 'q', id: '1' }, { actor: 'ann' });

    const { tasks } = await client.list('q', { state: 'active' });

    expect(tasks.map(({ id, state }) => `${id} ${state}`)).toEqual([
      '0 active',
      '1 active',
      '2 active',
      '3 active',
      '4 active',
    ]);
    expect(tasks[1]).toMatchObject({ deliveryCount: 1, cancel: { by: 'ann' } });
    expect(tasks[0]?.cancel).toBeUndefined();
    expect(await ids({ state: 'active', limit: 2 })).toEqual(['0', '1', '2', '3', '4']);
  });

  it('tells delayed tasks from those between two attempts, by when they are due, also where many are due at once', async () => {
    const { broker, client, ids } = await open();
    const runAt = Date.now() + 60_000;
    await broker.inbox.append(
      'q',
      Array.from({ length: 9 }, (_, i) => item(`d${i}`, {}, { runAt })),
      'memory',
    );
    const [failed] = await deliver(broker, 'q', item('failed'));
    await broker.settle('q', [settlement(failed as never, retry(30_000))]);

    expect(await ids({ state: 'delayed', limit: 2 })).toEqual(Array.from({ length: 9 }, (_, i) => `d${i}`));
    expect(await ids({ state: 'retrying', limit: 2 })).toEqual(['failed']);
    expect((await client.list('q', { state: 'retrying' })).tasks).toMatchObject([
      { state: 'retrying', failedAttempts: 1, error: { message: 'boom' }, runAt: expect.any(Date) },
    ]);
  });

  it('goes on where a task was that has gone since', async () => {
    const { broker, client } = await open();
    await broker.inbox.append('q', many(3, 60_000), 'memory');
    const page = await client.list('q', { state: 'delayed', limit: 1 });
    await client.promote({ queue: 'q', id: '0' });

    const next = await client.list('q', { state: 'delayed', limit: 2, cursor: page.cursor });

    expect(next.tasks.map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('shows dead tasks with their last error', async () => {
    const { broker, client, ids } = await open();
    const deliveries = await deliver(broker, 'q', ...many(3));
    await broker.settle(
      'q',
      deliveries.map((each) => settlement(each, deadLetter('timeout'))),
    );

    expect(await ids({ state: 'dead', limit: 2 })).toEqual(['0', '1', '2']);
    expect((await client.list('q', { state: 'dead' })).tasks[0]).toMatchObject({
      state: 'dead',
      error: { message: 'boom' },
    });
  });

  it('shows a task that another program added by hand', async () => {
    const { client, redis, prefix } = await open();
    await redis.xadd(`${prefix}:{q}:stream`, '*', 'head', '2\nby-hand\njob\n\n', 'body', '{}');
    await redis.xadd(`${prefix}:{q}:stream`, '*', 'no', 'task');

    expect((await client.list('q', { state: 'waiting' })).tasks).toMatchObject([
      { id: 'by-hand', name: 'job', state: 'waiting' },
    ]);
  });

  it('is empty for a queue that is not there', async () => {
    const { client } = await open();

    for (const state of ['waiting', 'active', 'delayed', 'retrying', 'dead'] as const) {
      expect(await client.list('q', { state })).toEqual({ tasks: [], cursor: undefined });
    }
  });

  it('refuses states of which only records are kept, and cursors of other lists', async () => {
    const { client } = await open();

    await expect(client.list('q', { state: 'completed' as never })).rejects.toThrow('list.state');
    await expect(client.list('q', { state: 'waiting', cursor: '5 a' })).rejects.toThrow('list.cursor');
    await expect(client.list('q', { state: 'delayed', cursor: '5-0' })).rejects.toThrow('list.cursor');
  });
});

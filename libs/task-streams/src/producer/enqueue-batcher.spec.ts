import { describe, expect, it, vi } from 'vitest';
import type { AppendBatchReply, Durability, InboxStore } from '../contracts/inbox-store.interface.js';
import { EnqueueUncertainError, QueueUnavailableError } from '../task/producer-errors.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import { EnqueueBatcher } from './enqueue-batcher.js';

const MEMORY = { level: 'memory', confirmedBy: undefined, replicas: undefined } as const;

function item(id: string, body = '{}'): EnqueueItem {
  return { id, name: 'demo', idempotencyKey: '', head: '', body, delayMs: 0, runAt: 0 };
}

/** Takes everything in; the entry id shows which call and which place of it. */
class FakeAppender implements InboxStore {
  readonly calls: { queue: string; ids: string[]; durability: Durability }[] = [];

  append(queue: string, items: readonly EnqueueItem[], durability: Durability): Promise<AppendBatchReply> {
    const call = this.calls.push({ queue, ids: items.map(({ id }) => id), durability });
    const replies = items.map((_, index) => ({
      kind: 'added' as const,
      entryId: `${call}-${index}`,
      state: 'waiting',
    }));
    return Promise.resolve({ replies, durability: MEMORY });
  }
}

function failing(error: Error): EnqueueBatcher {
  return new EnqueueBatcher({ append: vi.fn<InboxStore['append']>().mockRejectedValue(error) });
}

describe('EnqueueBatcher', () => {
  it('sends what comes in one turn in one call and gives each caller its own reply', async () => {
    const appender = new FakeAppender();
    const batcher = new EnqueueBatcher(appender);
    const replies = await Promise.all(['a', 'b', 'c'].map((id) => batcher.append('mail', item(id), 'memory')));

    expect(appender.calls).toEqual([{ queue: 'mail', ids: ['a', 'b', 'c'], durability: 'memory' }]);
    expect(replies.map(({ reply }) => reply)).toMatchObject([
      { entryId: '1-0' },
      { entryId: '1-1' },
      { entryId: '1-2' },
    ]);
    expect(replies[0]?.durability).toBe(MEMORY);
  });

  it('sends what comes later in another call', async () => {
    const appender = new FakeAppender();
    const batcher = new EnqueueBatcher(appender);
    await batcher.append('mail', item('a'), 'memory');
    await batcher.append('mail', item('b'), 'memory');

    expect(appender.calls.map(({ ids }) => ids)).toEqual([['a'], ['b']]);
  });

  it('sends nothing in the turn of the caller', () => {
    const appender = { append: vi.fn<InboxStore['append']>() };
    void new EnqueueBatcher(appender).append('mail', item('a'), 'memory').catch(() => undefined);

    expect(appender.append).not.toHaveBeenCalled();
  });

  it('makes one call for each queue and durability', async () => {
    const appender = new FakeAppender();
    const batcher = new EnqueueBatcher(appender);
    const two = { replicas: 2 };
    await Promise.all([
      batcher.append('mail', item('a'), 'memory'),
      batcher.append('reports', item('b'), 'memory'),
      batcher.append('mail', item('c'), 'fsync'),
      batcher.append('mail', item('d'), two),
      batcher.append('mail', item('e'), 'memory'),
      batcher.append('mail', item('f'), { replicas: 2 }),
    ]);

    expect(appender.calls).toEqual([
      { queue: 'mail', ids: ['a', 'e'], durability: 'memory' },
      { queue: 'reports', ids: ['b'], durability: 'memory' },
      { queue: 'mail', ids: ['c'], durability: 'fsync' },
      { queue: 'mail', ids: ['d', 'f'], durability: two },
    ]);
  });

  it('puts at most 50 tasks and a mebibyte of text into a call', async () => {
    const appender = new FakeAppender();
    const batcher = new EnqueueBatcher(appender);
    const half = 'x'.repeat(524_288);
    await Promise.all([
      ...Array.from({ length: 120 }, (_, index) => batcher.append('mail', item(`${index}`), 'memory')),
      ...['a', 'b', 'c'].map((id) => batcher.append('reports', item(id, half), 'memory')),
    ]);

    expect(appender.calls.map(({ ids }) => ids.length)).toEqual([50, 50, 20, 2, 1]);
  });

  it('sends at once what is enough for a call', async () => {
    const appender = new FakeAppender();
    const batcher = new EnqueueBatcher(appender);
    const sent = Array.from({ length: 51 }, (_, index) => batcher.append('mail', item(`${index}`), 'memory'));

    expect(appender.calls.map(({ ids }) => ids.length)).toEqual([50]);
    await Promise.all(sent);
    expect(appender.calls.map(({ ids }) => ids.length)).toEqual([50, 1]);
  });

  it('waits for the whole turn where a call waits for a disk', async () => {
    const appender = new FakeAppender();
    const batcher = new EnqueueBatcher(appender);
    await Promise.all(Array.from({ length: 120 }, (_, index) => batcher.append('mail', item(`${index}`), 'fsync')));

    expect(appender.calls.map(({ ids }) => ids.length)).toEqual([120]);
  });

  it('tells each sender of a failed call about its own task only', async () => {
    const cause = new Error('socket closed');
    const batcher = failing(new EnqueueUncertainError(['a', 'b'], 'the connection broke', { cause }));
    const [first, second] = await Promise.allSettled([
      batcher.append('mail', item('a'), 'memory'),
      batcher.append('mail', item('b'), 'memory'),
    ]);

    expect(first).toMatchObject({ reason: { taskIds: ['a'], cause } });
    expect(second).toMatchObject({
      reason: { taskIds: ['b'], message: expect.stringContaining('the connection broke') as string },
    });
    expect((second as PromiseRejectedResult).reason).toBeInstanceOf(EnqueueUncertainError);
  });

  it('hands on the error of a call with one task, and an error that is not about tasks', async () => {
    const unavailable = new QueueUnavailableError(['a'], 'no answer in 5000 ms');
    const other = new TypeError('bug');
    const batcher = failing(other);

    await expect(failing(unavailable).append('mail', item('a'), 'memory')).rejects.toBe(unavailable);
    const both = await Promise.allSettled([
      batcher.append('mail', item('a'), 'memory'),
      batcher.append('mail', item('b'), 'memory'),
    ]);
    expect(both).toMatchObject([{ reason: other }, { reason: other }]);
  });

  it('goes on after a failed call, also one that throws at once', async () => {
    const appender = new FakeAppender();
    const append = vi.spyOn(appender, 'append').mockImplementationOnce(() => {
      throw new Error('not connected');
    });
    const batcher = new EnqueueBatcher(appender);

    await expect(batcher.append('mail', item('a'), 'memory')).rejects.toThrow('not connected');
    await expect(batcher.append('mail', item('b'), 'memory')).resolves.toMatchObject({ reply: { kind: 'added' } });
    expect(append).toHaveBeenCalledTimes(2);
  });
});

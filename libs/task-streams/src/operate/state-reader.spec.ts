import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { QueueReport } from '../contracts/queue-store.interface.js';
import type { ServerReport } from '../contracts/server-store.interface.js';
import { StateReader } from './state-reader.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function setUp() {
  const inspect = vi.fn(async (queue: string) => ({ waiting: queue.length }) as QueueReport);
  const report = vi.fn(async () => ({ persistence: 'aof' }) as unknown as ServerReport);
  const checkWrites = vi.fn(async (_queue: string) => undefined);
  const onError = vi.fn();
  const stores = { queues: { inspect }, server: { report, checkWrites } };
  const settings = { cacheMs: 1_000, serverCacheMs: 30_000, deadlineMs: 200, onError };
  return { reader: new StateReader(stores, settings), inspect, report, checkWrites, onError };
}

describe('the reader of queue state', () => {
  it('asks once for all who ask while an answer is good', async () => {
    const { reader, inspect, report } = setUp();
    const first = await Promise.all([reader.queues(['a', 'bb']), reader.queues(['a', 'bb']), reader.server()]);
    expect([...first[0].values()]).toMatchObject([{ waiting: 1 }, { waiting: 2 }]);
    await reader.queues(['a']);
    expect(inspect.mock.calls).toEqual([['a'], ['bb'], ['a']]);
    vi.advanceTimersByTime(1_000);
    await Promise.all([reader.queues(['a', 'bb']), reader.server()]);
    expect(inspect).toHaveBeenCalledTimes(5);
    expect(report).toHaveBeenCalledTimes(1);
  });

  it('keeps an error no longer than an answer of the queues, and tells of it once', async () => {
    const { reader, report, onError } = setUp();
    report.mockRejectedValueOnce(new Error('LOADING'));
    for (let i = 0; i < 2; i += 1) await expect(reader.server()).rejects.toThrow('LOADING');
    expect(onError.mock.calls).toEqual([['server']]);
    vi.advanceTimersByTime(1_000);
    await expect(reader.server()).resolves.toEqual({ persistence: 'aof' });
  });

  it('waits no longer than its deadline', async () => {
    const { reader, inspect, checkWrites, onError } = setUp();
    inspect.mockReturnValueOnce(new Promise(() => undefined));
    const answer = expect(reader.queues(['a'])).rejects.toThrow('longer than 200 ms');
    checkWrites.mockRejectedValueOnce(new Error('READONLY'));
    await expect(reader.writes(['a', 'b'])).rejects.toThrow('READONLY');
    await vi.advanceTimersByTimeAsync(200);
    await answer;
    expect(onError.mock.calls).toEqual([['writes'], ['queues']]);
  });
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { item, openBroker } from '../../support/broker/open-broker.js';
import { startTestRedis } from '../../support/redis-server.js';
import { ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

const DRAINED = { stream: [], pending: [], delayed: [] };

describe('a worker whose Redis has trouble', () => {
  it.each([
    ['the stream is deleted', (prefix: string) => ['DEL', `${prefix}:{q}:stream`]],
    ['the group is destroyed', (prefix: string) => ['XGROUP', 'DESTROY', `${prefix}:{q}:stream`, 'workers']],
  ])('goes on when %s', async (_, command) => {
    const { broker, redis, prefix, state } = await openBroker(QUICK);
    const executor = new ScriptedExecutor();
    const worker = startWorker(broker, executor);
    await broker.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => state('q')).toMatchObject({ ...DRAINED, records: ['a: completed'] });

    const [name, ...args] = command(prefix) as [string, ...string[]];
    await redis.call(name, ...args);
    await broker.inbox.append('q', [item('b')], 'memory');

    await expect.poll(() => executor.started, { timeout: 5_000 }).toEqual(['a', 'b']);
    await expect.poll(() => worker.pool.status().queues[0]?.lastError).toBeUndefined();
  });

  it('says so once while it lasts and once when it ends, and does not spin', async () => {
    const { broker, redis, prefix } = await openBroker(QUICK);
    const executor = new ScriptedExecutor();
    const worker = startWorker(broker, executor);
    await broker.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => executor.started).toEqual(['a']);

    await redis.set(`${prefix}:{q}:stream`, 'not a stream');
    await expect.poll(() => worker.pool.status().queues[0]?.lastError).toMatch(/WRONGTYPE/);
    const tries = vi.spyOn(broker.work, 'ensure');
    const begin = performance.now();
    await expect.poll(() => tries.mock.calls.length, { timeout: 10_000 }).toBe(4);
    // Four tries from a standing start: the pauses between them grow.
    expect(performance.now() - begin).toBeGreaterThan(200);
    await redis.del(`${prefix}:{q}:stream`);
    await broker.inbox.append('q', [item('b')], 'memory');

    await expect.poll(() => executor.started, { timeout: 10_000 }).toEqual(['a', 'b']);
    const fetchErrors = worker.events.filter((event) => event.kind === 'redis-error' && event.operation === 'fetch');
    expect(fetchErrors.length).toBeLessThanOrEqual(3);
  });

  it('outlives a Redis that is killed and comes back, with nothing lost and no attempt counted', async () => {
    const server = await startTestRedis({ appendOnly: true, extraArgs: ['--appendfsync', 'always'] });
    onTestFinished(() => server.stop());
    const { broker, state } = await openBroker({ ...QUICK, leaseMs: 500 }, server.url);
    const executor = new ScriptedExecutor(() => new Promise((resolve) => setTimeout(resolve, 50)));
    startWorker(broker, executor, { leaseMs: 500 });
    await broker.inbox.append(
      'q',
      Array.from({ length: 200 }, (_, i) => item(`${i}`)),
      'memory',
    );
    await expect.poll(() => executor.started.length).toBeGreaterThan(20);

    await server.kill('SIGKILL');
    await server.restart();

    await expect.poll(() => state('q').catch(() => undefined), { timeout: 15_000 }).toMatchObject(DRAINED);
    expect(new Set(executor.started).size).toBe(200);
    expect((await state('q')).records.every((record) => record.endsWith('completed'))).toBe(true);
    expect(await broker.tasks.get('q', '0')).toMatchObject({ failedAttempts: 0 });
  });
});

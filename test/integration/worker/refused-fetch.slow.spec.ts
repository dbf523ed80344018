import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { item, openBroker } from '../../support/broker/open-broker.js';
import { startTestRedis } from '../../support/redis-server.js';
import { ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

describe('a worker that may not fetch', () => {
  it('asks again every five seconds although everything else works, and says so once', async () => {
    const server = await startTestRedis();
    onTestFinished(() => server.stop());
    const { broker, redis } = await openBroker(QUICK, server.url);
    const executor = new ScriptedExecutor();
    const worker = startWorker(broker, executor);
    await broker.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => executor.started).toEqual(['a']);
    const repairs = vi.spyOn(broker.work, 'ensure');
    const begin = performance.now();

    await redis.call('ACL', 'SETUSER', 'default', '-xreadgroup');
    await expect.poll(() => repairs.mock.calls.length, { timeout: 15_000 }).toBe(2);

    expect(performance.now() - begin).toBeGreaterThan(9_000);
    expect(worker.pool.status().queues[0]?.lastError).toMatch(/NOPERM|can't run|ACL failure/);
    // The script and the blocking read are refused in words of their own.
    expect(worker.count('redis-error')).toBeLessThanOrEqual(2);
    await redis.call('ACL', 'SETUSER', 'default', '+xreadgroup');
    await broker.inbox.append('q', [item('b')], 'memory');
    await expect.poll(() => executor.started, { timeout: 10_000 }).toEqual(['a', 'b']);
    expect(worker.count('redis-recovered')).toBe(1);
  });
});

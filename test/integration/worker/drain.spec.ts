import { describe, expect, it } from 'vitest';

import { item, openBroker } from '../../support/broker/open-broker.js';
import { gate, ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

describe('draining a worker', () => {
  it('ends an idle wait at once and leaves the group', async () => {
    const { broker, redis, prefix } = await openBroker({ ...QUICK, timing: { blockMs: 60_000 } });
    const { pool } = startWorker(broker, new ScriptedExecutor(), { timing: { blockMs: 60_000 } });
    await expect.poll(() => redis.client('LIST')).toMatch(/cmd=blpop/);
    const begin = performance.now();

    await pool.drain();

    expect(performance.now() - begin).toBeLessThan(1_000);
    expect(await redis.xinfo('CONSUMERS', `${prefix}:{q}:stream`, 'workers')).toEqual([]);
    expect(pool.status().state).toBe('stopped');
  });

  it('lets what runs end, and fetches nothing more', async () => {
    const { broker, state } = await openBroker(QUICK);
    const { handler, open } = gate();
    const executor = new ScriptedExecutor(handler);
    const { pool } = startWorker(broker, executor, { shutdownTimeoutMs: 10_000 }, 2);
    await broker.inbox.append('q', [item('a'), item('b'), item('c')], 'memory');
    await expect.poll(() => executor.running).toBe(2);

    const drained = pool.drain();
    open();
    await drained;

    expect(executor.started).toEqual(['a', 'b']);
    expect(await state('q')).toMatchObject({
      stream: ['c'],
      pending: [],
      records: ['a: completed', 'b: completed', 'c: waiting'],
    });
  });

  it('tells the rest to stop, hands it back, and burns neither an attempt nor a hand-out', async () => {
    const { broker, another, state } = await openBroker(QUICK);
    const reasons: unknown[] = [];
    const executor = new ScriptedExecutor(async (delivery, signal) => {
      if (delivery.taskId === 'deaf') return new Promise(() => undefined);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reasons.push(signal.reason);
      throw signal.reason;
    });
    const { pool } = startWorker(broker, executor, { shutdownTimeoutMs: 50 });
    await broker.inbox.append('q', [item('deaf'), item('polite')], 'memory');
    await expect.poll(() => executor.running).toBe(2);

    await pool.drain();

    expect(reasons).toMatchObject([{ code: 'TASK_STREAMS_WORKER_STOPPING' }]);
    expect(await state('q')).toMatchObject({ records: ['deaf: waiting', 'polite: waiting'] });
    const { deliveries } = await another().work.reclaim('q', 10, '0-0');
    expect(deliveries.map((each) => [each.taskId, each.deliveryCount])).toEqual([
      ['deaf', 1],
      ['polite', 1],
    ]);
    expect(await broker.tasks.get('q', 'polite')).toMatchObject({ failedAttempts: 0 });
  });

  it('completes what a handler finishes after it was told to stop', async () => {
    const { broker, state } = await openBroker(QUICK);
    const executor = new ScriptedExecutor(async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    const { pool } = startWorker(broker, executor, { shutdownTimeoutMs: 50 });
    await broker.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => executor.running).toBe(1);

    await pool.drain();

    expect((await state('q')).records).toEqual(['a: completed']);
  });

  it('can be asked for twice, before a start, and without Redis', async () => {
    const { broker } = await openBroker({ ...QUICK, connection: { url: 'redis://127.0.0.1:1' } });
    const { pool } = startWorker(broker, new ScriptedExecutor());
    const begin = performance.now();

    await Promise.all([pool.drain(), pool.drain()]);

    expect(performance.now() - begin).toBeLessThan(3_000);
  });
});

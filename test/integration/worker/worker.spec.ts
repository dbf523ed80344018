import { describe, expect, it } from 'vitest';

import { item, openBroker } from '../../support/broker/open-broker.js';
import { gate, ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

const many = (count: number) => Array.from({ length: count }, (_, i) => item(`${i}`));
const DRAINED = { stream: [], pending: [], delayed: [] };

describe('a worker', () => {
  it('runs what waits and what comes, each once', async () => {
    const { broker, state } = await openBroker(QUICK);
    const executor = new ScriptedExecutor();
    await broker.inbox.append('q', many(50), 'memory');
    startWorker(broker, executor);
    await expect.poll(() => executor.started.length).toBe(50);

    await broker.inbox.append('q', [item('late')], 'memory');

    await expect.poll(() => state('q')).toMatchObject(DRAINED);
    expect(new Set(executor.started).size).toBe(51);
    expect(executor.started).toHaveLength(51);
  });

  it('runs no more at once than its concurrency, and fetches no more than it has slots', async () => {
    const { broker, state } = await openBroker(QUICK);
    const { handler, open } = gate();
    const executor = new ScriptedExecutor(handler);
    await broker.inbox.append('q', many(20), 'memory');
    startWorker(broker, executor, {}, 3);

    await expect.poll(() => executor.running).toBe(3);
    expect((await state('q')).pending).toHaveLength(3);
    open();

    await expect.poll(() => state('q')).toMatchObject(DRAINED);
    expect(executor.mostAtOnce).toBe(3);
  });

  it('retries a failed task after its delay', async () => {
    const { broker, state } = await openBroker(QUICK);
    const executor = new ScriptedExecutor(async () => {
      if (executor.started.length < 3) throw new Error('boom');
    });
    startWorker(broker, executor);

    await broker.inbox.append('q', [item('a')], 'memory');

    await expect.poll(() => state('q')).toMatchObject({ ...DRAINED, records: ['a: completed'] });
    expect(executor.started).toEqual(['a', 'a', 'a']);
  });

  it('keeps the lease of a task that runs for many leases, so that it runs once', async () => {
    const options = { ...QUICK, leaseMs: 800 };
    const { broker, another, state } = await openBroker(options);
    const executor = new ScriptedExecutor(() => new Promise((resolve) => setTimeout(resolve, 3_000)));
    const idle = new ScriptedExecutor();
    await broker.inbox.append('q', many(3), 'memory');
    startWorker(broker, executor, options);
    await expect.poll(() => executor.running).toBe(3);
    startWorker(another(), idle, options);

    await expect.poll(() => state('q'), { timeout: 15_000 }).toMatchObject(DRAINED);
    expect(executor.started).toHaveLength(3);
    expect(idle.started).toEqual([]);
  });

  it('takes over the tasks of a worker that is gone, and of one that never knew it had them', async () => {
    const options = { ...QUICK, leaseMs: 800 };
    const { broker, another, redis, prefix, state } = await openBroker(options);
    await broker.inbox.append('q', many(30), 'memory');
    await broker.work.ensure('q');
    await broker.read('q', 20);
    const stream = `${prefix}:{q}:stream`;
    await redis.call('XREADGROUP', 'GROUP', 'workers', 'ghost', 'COUNT', '10', 'STREAMS', stream, '>');
    const executor = new ScriptedExecutor();

    const worker = startWorker(another(), executor, options);

    await expect.poll(() => state('q'), { timeout: 15_000 }).toMatchObject(DRAINED);
    expect(new Set(executor.started).size).toBe(30);
    expect(worker.count('reclaimed')).toBe(30);
    // What was read past this library has no token, and so no name.
    const owners = worker.events.flatMap((event) => (event.kind === 'reclaimed' ? [event.previousOwner] : []));
    expect(owners.filter((owner) => owner === broker.workerName)).toHaveLength(20);
    expect(owners.filter((owner) => owner === undefined)).toHaveLength(10);
  });

  it('takes over many tasks of a dead worker at full speed, while others wait in the queue', async () => {
    const options = { ...QUICK, leaseMs: 800, timing: { sweepMs: 1_000 } };
    const { broker, another, state } = await openBroker(options);
    await broker.inbox.append('q', many(300), 'memory');
    await broker.work.ensure('q');
    await broker.read('q', 200);
    await broker.inbox.append(
      'q',
      Array.from({ length: 300 }, (_, i) => item(`new-${i}`)),
      'memory',
    );
    const executor = new ScriptedExecutor(() => new Promise((resolve) => setTimeout(resolve, 2)));

    startWorker(another(), executor, options, 5);

    // One handful a sweep would take 40 sweeps.
    await expect.poll(() => state('q'), { timeout: 20_000 }).toMatchObject(DRAINED);
    expect(executor.started).toHaveLength(600);
    expect(executor.mostAtOnce).toBe(5);
  });

  it('takes over a task of a dead worker although its slots are always taken', async () => {
    const options = { ...QUICK, leaseMs: 800 };
    const { broker, another, state } = await openBroker(options);
    await broker.inbox.append('q', [item('orphan')], 'memory');
    await broker.work.ensure('q');
    await broker.read('q', 1);
    await broker.inbox.append('q', many(100), 'memory');
    const executor = new ScriptedExecutor(() => new Promise((resolve) => setTimeout(resolve, 30)));

    startWorker(another(), executor, options, 1);

    await expect.poll(() => executor.started, { timeout: 15_000 }).toContain('orphan');
    expect((await state('q')).stream.length).toBeGreaterThan(50);
  });

  it('ends an attempt at its timeout, frees the slot, and ignores the late result', async () => {
    const { broker, state } = await openBroker(QUICK);
    const { handler, open } = gate();
    const executor = new ScriptedExecutor((delivery, signal) =>
      delivery.taskId === 'hangs' ? handler(delivery, signal) : Promise.resolve(),
    );
    executor.timeoutMs = 100;
    const worker = startWorker(broker, executor, {}, 1);
    await broker.inbox.append('q', [item('hangs'), item('good')], 'memory');

    await expect
      .poll(() => state('q'))
      .toMatchObject({ delayed: ['hangs'], records: ['good: completed', 'hangs: retrying'] });
    expect(worker.pool.status().queues[0]?.abandonedCount).toBe(1);
    open();

    await expect.poll(() => worker.pool.status().queues[0]?.abandonedCount).toBe(0);
    expect((await state('q')).records).toEqual(['good: completed', 'hangs: retrying']);
  });

  it('tells once of a handler that ignores its abort signal, until it ends', async () => {
    const { broker } = await openBroker(QUICK);
    const { handler, open } = gate();
    const executor = new ScriptedExecutor((delivery, signal) =>
      delivery.taskId === 'stuck'
        ? handler(delivery, signal)
        : new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    executor.timeoutMs = 100;
    const worker = startWorker(broker, executor, { timing: { stuckAfterMs: 50 } });
    const counts = () => {
      const { abandonedCount, stuckCount } = worker.pool.status().queues[0] ?? {};
      return [abandonedCount, stuckCount];
    };
    await broker.inbox.append('q', [item('stuck'), item('obeys')], 'memory');

    await expect.poll(() => worker.count('stuck')).toBe(1);
    expect(worker.events.find(({ kind }) => kind === 'stuck')).toMatchObject({
      delivery: { taskId: 'stuck' },
      abandonedMs: 50,
    });
    expect(counts()).toEqual([1, 1]);
    open();

    await expect.poll(() => [worker.count('abandoned'), worker.count('stuck')]).toEqual([2, 1]);
    await expect.poll(counts).toEqual([0, 0]);
  });

  it('aborts a task that somebody else took, and settles nothing for it', async () => {
    const options = { ...QUICK, leaseMs: 300 };
    const { broker, redis, prefix, state } = await openBroker(options);
    let reason: unknown;
    const executor = new ScriptedExecutor(async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reason = signal.reason;
    });
    const worker = startWorker(broker, executor, options);
    await broker.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => executor.running).toBe(1);
    const [entryId] = await redis.hkeys(`${prefix}:{q}:owners`);
    await redis.hset(`${prefix}:{q}:owners`, entryId as string, 'stranger.1.60000.0.1 a');

    await expect.poll(() => reason).toMatchObject({ code: 'TASK_STREAMS_LEASE_LOST' });

    expect(worker.count('lease-lost')).toBe(1);
    expect(worker.count('settled')).toBe(0);
    expect((await state('q')).pending).toHaveLength(1);
  });

  it('settles with its newest token when its own sweep took the entry over meanwhile', async () => {
    const options = { ...QUICK, leaseMs: 100, timing: { sweepMs: 60_000 } };
    const { broker, redis, prefix, state } = await openBroker(options);
    const executor = new ScriptedExecutor(async () => {
      // A blocked loop: no renewal, the lease lapses, and the sweep finds the entry first.
      const until = performance.now() + 250;
      while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
    startWorker(broker, executor, { ...options, timing: { sweepMs: 50 } });
    await broker.inbox.append('q', [item('a')], 'memory');

    await expect.poll(() => state('q'), { timeout: 15_000 }).toMatchObject({ ...DRAINED, records: ['a: completed'] });
    expect(executor.started).toEqual(['a']);
    expect(await redis.xlen(`${prefix}:{q}:dead`)).toBe(0);
  });
});

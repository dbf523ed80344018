import { describe, expect, it } from 'vitest';

import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { QueueInspector } from '../../../libs/task-streams/src/operate/queue-inspector.js';
import { deliver, item, openBroker, takeOver } from '../../support/broker/open-broker.js';
import { ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

async function open(options = {}) {
  const bench = await openBroker({ ...QUICK, ...options });
  const stream = (queue: string) => `${bench.prefix}:{${queue}}:stream`;
  return {
    ...bench,
    inspector: new QueueInspector(bench.broker, resolveOptions()),
    consumers: async (queue: string) =>
      ((await bench.redis.xinfo('CONSUMERS', stream(queue), 'workers')) as unknown[][]).map((row) => row[1]),
    idleMs: async (queue: string) =>
      ((await bench.redis.xinfo('CONSUMERS', stream(queue), 'workers')) as unknown[][])[0]?.[5],
  };
}

describe('who is alive', () => {
  it('is who read, or said something of itself, within its own lease', async () => {
    const { broker, another, redis, prefix, inspector, idleMs } = await open();
    await broker.work.ensure('q');
    await redis.xgroup('CREATECONSUMER', `${prefix}:{q}:stream`, 'workers', 'host:1:a');
    const says = async (agoMs: number, leaseMs: number) => {
      const [seconds] = await redis.time();
      const note = JSON.stringify({ version: '0.1.0', running: 0, concurrency: 1, leaseMs, startedAt: 1 });
      await redis.hset(`${prefix}:{q}:workers`, 'host:1:a', `${Number(seconds) * 1_000 - agoMs} ${note}`);
      const { liveConsumers, staleConsumers } = await broker.queues.inspect('q');
      const [worker] = await inspector.workers('q');
      return { isLive: worker?.isLive, liveConsumers, staleConsumers };
    };
    const alive = { isLive: true, liveConsumers: 1, staleConsumers: 0 };
    const stale = { isLive: false, liveConsumers: 0, staleConsumers: 1 };

    // It read lately.
    expect(await says(60_000, 20_000)).toEqual(alive);
    // Its reads find nothing for long, and a server before 7.2 counts none of them.
    await expect.poll(() => idleMs('q')).toBeGreaterThan(200);
    expect(await says(60_000, 200)).toEqual(stale);
    // A note of a time to come is as good as new, however long the test takes from here.
    expect(await says(-60_000, 150)).toEqual(alive);
    expect(await another().work.prune('q', 150)).toBe(0);
    // Only its own lease says what is long.
    expect(await says(60_000, 90_000)).toEqual(alive);
    await redis.hdel(`${prefix}:{q}:workers`, 'host:1:a');
    expect((await inspector.workers('q'))[0]).toMatchObject({ isLive: true, heartbeat: undefined });
  });

  it('can be seen soon after the start, also without a task', async () => {
    const { broker, inspector } = await open({ timing: { blockMs: 60_000 } });
    startWorker(broker, new ScriptedExecutor(), { timing: { blockMs: 60_000 } });
    await expect.poll(() => inspector.workers('q'), { timeout: 3_000 }).toMatchObject([{ isLive: true }]);
  });
});

describe('a worker that stops', () => {
  it('leaves all its queues, also where it hands tasks back', async () => {
    const { broker, another, inspector, consumers, state } = await open();
    const deaf = new ScriptedExecutor(() => new Promise(() => undefined));
    const { pool } = startWorker(broker, deaf, { shutdownTimeoutMs: 50 }, 2, ['p', 'q']);
    for (const queue of ['p', 'q']) {
      await broker.inbox.append(queue, [item('a'), item('b'), item('c')], 'memory');
      await expect.poll(async () => (await state(queue)).pending.length).toBeGreaterThanOrEqual(2);
    }

    await pool.drain();

    for (const queue of ['p', 'q']) {
      expect(await inspector.workers(queue)).toEqual([]);
      expect(await broker.queues.inspect(queue)).toMatchObject({ liveConsumers: 0, staleConsumers: 0 });
      expect(await consumers(queue)).toEqual(['released']);
    }
    const next = another();
    startWorker(next, new ScriptedExecutor(), {}, 2, ['p', 'q']);
    for (const queue of ['p', 'q']) {
      await expect.poll(async () => (await state(queue)).stream).toEqual([]);
      await expect.poll(() => consumers(queue)).toEqual([next.workerName]);
    }
  });

  it('is forgotten with the last task whose end it could not tell', async () => {
    const { broker, another, inspector, consumers } = await open({ leaseMs: 100 });
    await deliver(broker, 'q', item('a'), item('b'));
    await broker.work.renew('q', [], { running: 2, concurrency: 2 });

    await broker.work.leave('q');

    expect(await inspector.workers('q')).toMatchObject([{ pendingCount: 2, heartbeat: undefined }]);
    const next = another();
    await takeOver(next, 'q', 2);
    expect(await consumers('q')).toEqual([next.workerName]);
  });

  it('is kept, when it was killed, for whoever looks after it', async () => {
    const { broker, another, inspector } = await open({ leaseMs: 100 });
    await deliver(broker, 'q', item('a'));
    await broker.work.renew('q', [], { running: 1, concurrency: 1 });

    await takeOver(another(), 'q');

    await expect
      .poll(async () => (await inspector.workers('q')).find(({ name }) => name === broker.workerName))
      .toMatchObject({ pendingCount: 0, isLive: false });
  });
});

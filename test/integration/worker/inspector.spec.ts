import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';

import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { QueueInspector } from '../../../libs/task-streams/src/operate/queue-inspector.js';
import { QueueControl } from '../../../libs/task-streams/src/operate/queue-control.js';
import { item, openBroker } from '../../support/broker/open-broker.js';
import { gate, ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

const LEASE = { ...QUICK, leaseMs: 300 };

async function open() {
  const bench = await openBroker(LEASE);
  const options = resolveOptions({ queues: { configured: {} } });
  return {
    ...bench,
    inspector: new QueueInspector(bench.broker, options),
    control: new QueueControl(bench.broker, options),
  };
}

describe('the queue inspector', () => {
  it('knows the queues that are configured, sent to, or worked on', async () => {
    const { broker, another, inspector } = await open();
    startWorker(another(), new ScriptedExecutor(), LEASE, 1, ['worked-on']);
    await expect
      .poll(async () => (await broker.inbox.append('sent-to', [item('a')], 'memory'), await inspector.queues()))
      .toEqual(['configured', 'sent-to', 'worked-on']);
  });

  it('names the key of the names of queues where another program wrote over it', async () => {
    const { redis, prefix, inspector } = await open();
    await redis.set(`${prefix}:queues`, 'x');

    await expect(inspector.queues()).rejects.toThrow(`The key "${prefix}:queues" holds no sorted set`);
  });

  it('shows how much lies in each, for how long, and who paused it', async () => {
    const { broker, control, inspector } = await open();
    await broker.inbox.append('q', [item('a')], 'memory');
    await broker.inbox.append('q', [item('b'), item('c', {}, { delayMs: 60_000 })], 'memory');
    await control.pause('q', { actor: 'ann' });

    await expect
      .poll(() => inspector.overview())
      .toMatchObject([
        { queue: 'configured', waiting: 0 },
        { queue: 'q', waiting: 2, active: 0, delayed: 1, dead: 0, paused: { by: 'ann' } },
      ]);
    expect(await inspector.inspect('nobody')).toEqual({
      queue: 'nobody',
      waiting: 0,
      active: 0,
      delayed: 0,
      dead: 0,
      oldestWaitingMs: 0,
      liveConsumers: 0,
      staleConsumers: 0,
      foreignGroups: 0,
    });
  });

  it('shows the workers of a queue with what they say of themselves', async () => {
    const { broker, another, inspector } = await open();
    const { handler, open: finish } = gate();
    const worker = another();
    startWorker(worker, new ScriptedExecutor(handler), LEASE, 3);
    await broker.inbox.append('q', [item('a'), item('b')], 'memory');

    await expect
      .poll(() => inspector.workers('q'))
      .toEqual([
        {
          name: worker.workerName,
          host: hostname(),
          pid: process.pid,
          nonce: worker.workerName.split(':').at(-1),
          pendingCount: 2,
          idleMs: expect.any(Number),
          isLive: true,
          heartbeat: {
            at: expect.any(Date),
            version: expect.stringMatching(/^\d+\.\d+\.\d+/),
            runningCount: 2,
            concurrency: 3,
            leaseMs: 300,
            startedAt: expect.any(Date),
          },
        },
      ]);
    finish();
    await expect.poll(async () => (await inspector.workers('q'))[0]?.heartbeat?.runningCount).toBe(0);
  });

  it('forgets a worker that has said goodbye', async () => {
    const { another, redis, prefix, inspector } = await open();
    const { pool } = startWorker(another(), new ScriptedExecutor(), LEASE);
    await expect.poll(async () => (await inspector.workers('q'))[0]?.heartbeat).toBeDefined();

    await pool.drain();

    expect(await inspector.workers('q')).toEqual([]);
    expect(await redis.exists(`${prefix}:{q}:workers`)).toBe(0);
    expect(await inspector.workers('nobody')).toEqual([]);
  });
});

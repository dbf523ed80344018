import { describe, expect, it, vi } from 'vitest';

import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { QueueControl } from '../../../libs/task-streams/src/operate/queue-control.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { gate, ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

async function open(options = {}) {
  const bench = await openBroker({ ...QUICK, ...options });
  return { ...bench, control: new QueueControl(bench.broker, resolveOptions()) };
}

describe('a paused queue', () => {
  it('hands nothing out, in any process, until it is resumed; what runs goes on and settles', async () => {
    const { broker, another, control, state } = await open();
    const { handler, open: finish } = gate();
    const executor = new ScriptedExecutor(handler);
    const others = new ScriptedExecutor();
    const worker = startWorker(broker, executor);
    await broker.inbox.append('q', [item('running')], 'memory');
    await expect.poll(() => executor.running).toBe(1);
    const other = startWorker(another(), others);

    expect(await control.pause('q', { actor: 'ann', reason: 'the bank is closed' })).toBe(true);
    const isPaused = () => [worker, other].map(({ pool }) => pool.status().queues[0]?.isPaused);
    await expect.poll(isPaused).toEqual([true, true]);
    await broker.inbox.append('q', [item('later'), item('delayed', {}, { delayMs: 1 })], 'memory');
    finish();

    await expect.poll(async () => (await broker.tasks.get('q', 'running'))?.state).toBe('completed');
    expect((await broker.work.look('q')).promotedCount).toBe(0);
    expect(await state('q')).toMatchObject({ stream: ['later'], pending: [], delayed: ['delayed'] });
    expect(await control.resume('q')).toBe(true);
    await expect.poll(() => state('q')).toMatchObject({ stream: [], delayed: [] });
    expect([...executor.started, ...others.started].toSorted()).toEqual(['delayed', 'later', 'running']);
  });

  it('stays paused over a restart: a worker that starts fetches nothing', async () => {
    const { broker, another, control, state } = await open();
    await broker.inbox.append('q', [item('a')], 'memory');
    await control.pause('q');
    const executor = new ScriptedExecutor();
    const starting = another();
    // It has to know before its first look for due tasks.
    vi.spyOn(starting.work, 'look').mockRejectedValue(new Error('not yet'));
    const worker = startWorker(starting, executor);

    const idle = { isPaused: true, sinceLastFetchMs: 0, sinceLastTurnMs: 0 };
    await expect.poll(() => worker.pool.status().queues[0]).toMatchObject(idle);

    expect(await state('q')).toMatchObject({ stream: ['a'], pending: [] });
    expect(executor.started).toEqual([]);
  });

  it('takes nothing over from dead workers until it is resumed', async () => {
    const { broker, another, control, redis, prefix, state } = await open({ leaseMs: 100 });
    await deliver(broker, 'q', item('orphan'));
    await control.pause('q');
    const executor = new ScriptedExecutor();
    const worker = startWorker(another(), executor, { leaseMs: 100 });
    await expect.poll(() => worker.pool.status().queues[0]?.isPaused).toBe(true);
    // Lapsed for long enough that anybody who looks would take it.
    const idleMs = async () => {
      const rows = (await redis.xpending(`${prefix}:{q}:stream`, 'workers', '-', '+', 1)) as [string, string, number][];
      return rows[0]?.[2] ?? 0;
    };
    await expect.poll(idleMs).toBeGreaterThan(700);
    expect(executor.started).toEqual([]);

    await control.resume('q');

    await expect.poll(() => state('q')).toMatchObject({ stream: [], records: ['orphan: completed'] });
    expect(worker.count('reclaimed')).toBe(1);
  });

  it('says who paused it, when and why; the first pause stands', async () => {
    const { broker, control } = await open();
    expect(await control.resume('q')).toBe(false);
    expect(await control.getPause('q')).toBeUndefined();

    await control.pause('q', { actor: 'ann', reason: 'the bank is closed' });
    expect(await control.pause('q', { actor: 'bob' })).toBe(false);

    const paused = { by: 'ann', reason: 'the bank is closed', at: expect.any(Number) };
    expect(await control.getPause('q')).toEqual(paused);
    expect(await broker.queues.inspect('q')).toMatchObject({ paused });
    await control.resume('q', { actor: 'bob' });
    expect(await broker.queues.inspect('q')).not.toHaveProperty('paused');
  });
});

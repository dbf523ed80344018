import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';

import type { WorkerEvent } from '../../../libs/task-streams/src/watch/worker-observer.interface.js';
import { LeaseUncertainError } from '../../../libs/task-streams/src/task/worker-errors.js';
import { ChaosProxy } from '../../chaos/harness/chaos-proxy.js';
import { item, openBroker } from '../../support/broker/open-broker.js';
import { gate, ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

const LEASE_MS = 1_500;
const OPTIONS = { ...QUICK, leaseMs: LEASE_MS, timing: { ...QUICK.timing, sweepMs: 60_000 } };

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function lateOf(events: readonly WorkerEvent[]) {
  return events.filter((event) => event.kind === 'lease-late');
}

async function openPartitioned() {
  const proxy = await new ChaosProxy(Number(new URL(inject('redisUrl')).port)).listen();
  onTestFinished(() => proxy.close());
  const bench = await openBroker({ connection: { url: proxy.url }, ...OPTIONS });
  const direct = bench.another({ connection: { url: inject('redisUrl') } });
  return { ...bench, proxy, direct };
}

describe('a worker that is cut off from Redis', () => {
  it('tells its handlers to stop before their lease is over, says so once, and settles what they return all the same', async () => {
    const { broker, proxy, direct } = await openPartitioned();
    const { handler, open } = gate();
    let aborted: { readonly reason: unknown; readonly afterMs: number } | undefined;
    let cutAt = 0;
    const executor = new ScriptedExecutor((delivery, signal) => {
      signal.addEventListener('abort', () => {
        aborted = { reason: signal.reason, afterMs: performance.now() - cutAt };
      });
      return handler(delivery, signal);
    });
    const worker = startWorker(broker, executor, OPTIONS);
    await direct.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => executor.started).toEqual(['a']);

    proxy.flow = 'none';
    cutAt = performance.now();
    await expect.poll(() => aborted).toBeDefined();

    expect(aborted?.reason).toBeInstanceOf(LeaseUncertainError);
    expect(aborted?.reason).toMatchObject({
      why: 'redis',
      message: expect.stringMatching(/Task a.*Redis did not answer/),
    });
    // Nine tenths of a lease that began before the cut, a look each twentieth, and a busy machine.
    expect(aborted?.afterMs).toBeLessThan(LEASE_MS * 1.3);
    expect(lateOf(worker.events)).toMatchObject([{ why: 'redis', leaseMs: LEASE_MS, heldCount: 1 }]);
    open();
    proxy.heal();
    await expect
      .poll(() => direct.tasks.get('q', 'a'), { timeout: 15_000 })
      .toMatchObject({ state: 'completed', failedAttempts: 0 });
    expect(executor.started).toEqual(['a']);
  });

  it('is refused what it returns when another worker has taken over', async () => {
    const { broker, proxy, direct, another } = await openPartitioned();
    const { handler, open } = gate();
    const worker = startWorker(broker, new ScriptedExecutor(handler), OPTIONS);
    await direct.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => worker.count('started')).toBe(1);
    proxy.flow = 'none';

    const other = another({ connection: { url: inject('redisUrl') }, timing: { sweepMs: 50 } });
    const second = new ScriptedExecutor();
    startWorker(other, second, { ...OPTIONS, timing: { sweepMs: 50 } });
    await expect.poll(() => second.started, { timeout: 10_000 }).toEqual(['a']);
    await expect.poll(() => direct.tasks.get('q', 'a')).toMatchObject({ state: 'completed' });
    open();
    proxy.heal();

    await expect
      .poll(() => worker.events.some((event) => event.kind === 'settled' && event.reply.kind === 'fenced'), {
        timeout: 15_000,
      })
      .toBe(true);
  });
});

describe('a worker whose event loop was blocked', () => {
  it('renews the lease of what it has fetched before it starts it, and says why it was late', async () => {
    const { broker } = await openBroker(OPTIONS);
    const order: string[] = [];
    const renew = vi.spyOn(broker.work, 'renew').mockImplementation(async (...args) => {
      order.push('renew');
      return Object.getPrototypeOf(broker.work).renew.apply(broker.work, args) as Promise<boolean[]>;
    });
    onTestFinished(() => renew.mockRestore());
    const executor = new ScriptedExecutor(async ({ taskId }) => {
      order.push(taskId);
      if (taskId === 'a') block(LEASE_MS * 0.75);
    });
    await broker.inbox.append('q', [item('a'), item('b')], 'memory');
    const worker = startWorker(broker, executor, OPTIONS, 4);

    await expect.poll(() => executor.started).toEqual(['a', 'b']);

    expect(order.slice(order.indexOf('a'))).toEqual(['a', 'renew', 'b']);
    expect(lateOf(worker.events)).toMatchObject([{ why: 'event-loop' }]);
  });

  it('starts nothing on a lease that it could not renew in time', async () => {
    const { broker, proxy, direct, redis, prefix } = await openPartitioned();
    const executor = new ScriptedExecutor(async ({ taskId }) => {
      if (taskId !== 'a') return;
      proxy.flow = 'none';
      block(LEASE_MS * 0.75);
    });
    await direct.inbox.append('q', [item('a'), item('b')], 'memory');
    const worker = startWorker(broker, executor, OPTIONS, 4);
    await expect.poll(() => lateOf(worker.events).length).toBe(1);

    const entryId = worker.events.find((event) => event.kind === 'started')?.delivery.entryId;
    const owners = await redis.hgetall(`${prefix}:{q}:owners`);
    const held = Object.keys(owners).find((id) => id !== entryId) ?? '';
    await redis.hset(`${prefix}:{q}:owners`, held, 'stranger.1.60000.0.1 a');
    proxy.heal();

    await expect.poll(() => worker.count('lease-lost'), { timeout: 15_000 }).toBe(1);
    expect(executor.started).toEqual(['a']);
  });
});

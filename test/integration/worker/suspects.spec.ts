import { describe, expect, it } from 'vitest';

import { deliver, item, openBroker, takeOver } from '../../support/broker/open-broker.js';
import { gate, ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

const many = (count: number) => Array.from({ length: count }, (_, i) => item(`${i}`));
const DRAINED = { stream: [], pending: [], delayed: [] };
/** A suspect's process starts nothing else for half a second before it and a second beside it. */
const BOUND_MS = 1_500;
const [BRIEF, PATIENT] = [
  { ...QUICK, leaseMs: 100, crashLimit: 2 },
  // A lease long enough for a machine that is busy.
  { ...QUICK, leaseMs: 2_000, crashLimit: 2 },
];

/** Queue `q` holds tasks that died with one worker already: the next delivery is their last permitted one. */
async function withSuspects(count: number) {
  const bench = await openBroker(BRIEF);
  await deliver(bench.broker, 'q', ...many(count));
  return bench;
}

describe('a suspect', () => {
  it('has the process for itself at first, and burns nothing while it waits for that', async () => {
    const { broker, another, state } = await withSuspects(1);
    const { handler, open } = gate();
    const executor = new ScriptedExecutor(handler);
    await broker.inbox.append('other', [item('beside')], 'memory');
    const worker = startWorker(another(PATIENT), executor, PATIENT, 10, ['q', 'other']);

    await expect.poll(() => worker.events.filter(({ kind }) => kind === 'suspect')).toMatchObject([{ now: 'held' }]);
    expect((await state('q')).pending).toEqual([expect.stringContaining(' x1')]);
    expect(executor.started).toEqual(['beside']);
    open();

    await expect.poll(() => state('q'), { timeout: 15_000 }).toMatchObject(DRAINED);
    expect(executor.mostAtOnceOf(['0'])).toBe(1);
    expect(worker.events.filter(({ kind }) => kind === 'suspect')).toMatchObject([{ now: 'held' }, { now: 'alone' }]);
  });

  it('keeps no other task waiting beyond its bound: before it a task that takes for ever, then one it takes long itself', async () => {
    const { broker, another, state } = await withSuspects(1);
    const { handler, open } = gate();
    const sentAt = new Map<string, number>();
    const waits: number[] = [];
    const executor = new ScriptedExecutor((delivery, signal) => {
      const at = sentAt.get(delivery.taskId);
      if (at === undefined) return handler(delivery, signal);
      waits.push(performance.now() - at);
      return Promise.resolve();
    });
    await broker.inbox.append('exports', [item('export')], 'memory');
    const worker = startWorker(another(PATIENT), executor, PATIENT, 2, ['q', 'exports', 'mail']);
    const mail = async (queue: string, id: string) => {
      sentAt.set(id, performance.now());
      await broker.inbox.append(queue, [item(id)], 'memory');
    };
    await expect.poll(() => worker.count('reclaimed')).toBe(1);
    for (let i = 0; i < 12; i += 1) {
      await mail('mail', `m${i}`);
      await mail('q', `q${i}`);
      await expect.poll(() => waits.length, { interval: 10, timeout: 10_000 }).toBe(2 * i + 2);
    }
    await expect.poll(() => executor.started).toContain('0');
    expect(executor.started).toContain('export');
    expect(Math.max(...waits)).toBeLessThan(BOUND_MS + 1_000);
    const [q] = worker.pool.status().queues;
    expect(q).toMatchObject({ queue: 'q', runningSuspectCount: 1, heldSuspectCount: 0 });
    open();
    await expect.poll(() => state('q'), { timeout: 15_000 }).toMatchObject(DRAINED);
  });

  it('starts together with others, and is not blamed for a crash then: it comes again, alone', async () => {
    const { another, state } = await withSuspects(5);
    const { handler } = gate();
    const first = new ScriptedExecutor(handler);
    const doomed = another(BRIEF);
    startWorker(doomed, first, BRIEF);
    await expect.poll(() => first.running, { timeout: 15_000 }).toBe(5);
    // To Redis it is dead now.
    await doomed.server.close();

    const executor = new ScriptedExecutor(() => new Promise((resolve) => setTimeout(resolve, 30)));
    const worker = startWorker(another(PATIENT), executor, PATIENT);

    await expect.poll(() => state('q'), { timeout: 20_000 }).toMatchObject({ ...DRAINED, dead: [] });
    expect(executor.started.toSorted()).toEqual(['0', '1', '2', '3', '4']);
    expect(executor.mostAtOnceOf(executor.started)).toBe(1);
    expect(worker.events.filter((event) => event.kind === 'suspect' && event.now === 'beside')).toEqual([]);
  });

  it('is handed back uncounted when its worker stops while it waits', async () => {
    const { broker, another, state } = await withSuspects(1);
    const { handler } = gate();
    const executor = new ScriptedExecutor(handler);
    await broker.inbox.append('other', [item('beside')], 'memory');
    const worker = startWorker(another(PATIENT), executor, PATIENT, 10, ['q', 'other']);
    await expect.poll(() => worker.count('suspect')).toBe(1);
    await worker.pool.drain();

    expect((await state('q')).pending).toEqual([expect.stringContaining(' x1')]);
    const [again] = await takeOver(another(PATIENT), 'q');
    expect(again?.deliveryCount).toBe(2);
  });
});

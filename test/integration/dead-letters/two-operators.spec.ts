import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { QueueControl } from '../../../libs/task-streams/src/operate/queue-control.js';
import { die, serviceOf, settleAsDead } from '../../support/broker/dead-letters.js';
import { item, openBroker } from '../../support/broker/open-broker.js';

const COUNT = 400;
const fast = { ratePerSecond: 5_000 };
const purge = { ...fast, reason: 'test', confirm: 'q' };

/** Two operators, each with connections of its own, and some hundred dead letters. */
async function open() {
  const bench = await openBroker();
  const { broker, another } = bench;
  for (let i = 0; i < COUNT; i += 100) {
    await die(
      broker,
      'q',
      Array.from({ length: 100 }, (_, n) => item(`${i + n}`)),
    );
  }
  const other = another();
  const control = new QueueControl(other, resolveOptions());
  return { ...bench, ann: serviceOf(broker), bob: serviceOf(other), control };
}

const numbers = (ids: readonly string[]) => ids.map(Number).toSorted((a, b) => a - b);
const all = Array.from({ length: COUNT }, (_, i) => i);

describe('two operators at the same time', () => {
  it('who redrive and discard the same letters do each once, and their counts add up', async () => {
    const { ann, bob, state } = await open();

    const [moved, gone] = await Promise.all([ann.redriveMany('q', {}, fast), bob.purge('q', {}, purge)]);

    const { stream, dead } = await state('q');
    expect(dead).toEqual([]);
    expect(moved.done + gone.done).toBe(COUNT);
    expect(stream).toHaveLength(moved.done);
    expect(await ann.totals('q')).toMatchObject({ added: COUNT, redriven: moved.done, discarded: gone.done });
    expect(await ann.groups('q')).toEqual([]);
  });

  it('who redrive and purge the whole queue do each once, and what was sent again stays', async () => {
    const { ann, control, state } = await open();

    const [moved, removed] = await Promise.all([ann.redriveMany('q', {}, fast), control.purge('q', { confirm: 'q' })]);

    expect(moved.done + removed.dead).toBe(COUNT);
    expect(await state('q')).toMatchObject({ dead: [], delayed: [] });
    expect((await state('q')).stream).toHaveLength(moved.done - removed.waiting);
  });

  it('stop in the middle, and the next ones do the rest', async () => {
    const { ann, bob, state } = await open();
    const [stopRedrive, stopPurge] = [new AbortController(), new AbortController()];

    const first = await Promise.all([
      ann.redriveMany('q', {}, { ...fast, signal: stopRedrive.signal, onProgress: () => stopRedrive.abort() }),
      bob.purge('q', {}, { ...purge, signal: stopPurge.signal, onProgress: () => stopPurge.abort() }),
    ]);
    const left = (await state('q')).dead;
    const second = await Promise.all([ann.redriveMany('q', {}, fast), bob.purge('q', {}, purge)]);

    expect(left.length).toBeGreaterThan(0);
    expect([...first, ...second].reduce((sum, { done }) => sum + done, 0)).toBe(COUNT);
    expect((await state('q')).dead).toEqual([]);
  });
});

describe('a redrive while workers let the same tasks die again', () => {
  it('ends, sends each once, and loses none', async () => {
    const { ann, another, state } = await open();
    const worker = another();
    const over = new AbortController();
    const killer = (async () => {
      while (!over.signal.aborted) {
        const taken = await worker.read('q', 50);
        if (taken.length > 0) await settleAsDead(worker, 'q', taken);
      }
    })();

    const report = await ann.redriveMany('q', {}, fast);
    over.abort();
    await killer;

    expect(report).toMatchObject({ matched: COUNT, done: COUNT });
    const { stream, dead } = await state('q');
    expect(numbers([...stream, ...dead])).toEqual(all);
    expect(await ann.previewRedrive('q', {}, { maxRedrives: 1 })).toMatchObject({
      matched: dead.length,
      refusals: dead.length > 0 ? { 'max-redrives': dead.length } : {},
    });
  });
});

import { describe, expect, it } from 'vitest';
import { Bench } from './support/bench.js';
import { sleep } from './support/case-app.js';
import { QUEUE, RECOVERED_MS, USUAL } from './support/options.js';

const DAY = 24 * 3_600_000;
const KEYED = { job: { idempotency: { ttlMs: DAY } } };

describe('a key whose holder was killed', () => {
  it('is free for the same task as soon as that is recovered, not when its mark would expire', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const first = await bench.worker({ tasks: KEYED });
    const options = { queue: QUEUE, idempotencyKey: 'payment-1' };
    await client.enqueue('job', { ms: 800 }, { ...options, id: 'a' });
    await expect.poll(() => bench.ledger.count('start')).toBe(1);

    await first.kill();
    await bench.worker({ tasks: KEYED });
    const startedAt = Date.now();

    expect(await client.result({ queue: QUEUE, id: 'a' }, { timeoutMs: 10_000 })).toBe('a');
    expect(bench.ledger.of('start')[1]?.at).toBeLessThan(startedAt + RECOVERED_MS);
    // The third time nothing runs: the first result is the answer.
    await client.enqueue('job', { ms: 800 }, { ...options, id: 'b' });
    expect(await client.result({ queue: QUEUE, id: 'b' }, { timeoutMs: 10_000 })).toBe('a');
    expect(bench.ledger.count('start')).toBe(2);
    expect(bench.ledger.effects()).toEqual({ tasks: 1, effects: 1 });
  });
});

describe('tasks with one key', () => {
  it('never run at the same time, whoever of their workers is paused, and have their effect once', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const workers = [];
    for (let i = 0; i < 3; i += 1) workers.push(await bench.worker({ tasks: KEYED }));
    for (let round = 0; round < 3; round += 1) {
      const key = `key-${round}`;
      const ids = ['a', 'b', 'c'].map((name) => `${name}${round}`);
      for (const id of ids) await client.enqueue('job', { ms: 400 }, { id, queue: QUEUE, idempotencyKey: key });
      await expect.poll(() => startsOf(bench, key).length).toBe(1);
      const holder = workers.find((worker) => worker.pid === startsOf(bench, key)[0]?.pid);
      holder?.send('SIGSTOP');
      // The holder cannot renew; another task with the key, or the same one elsewhere, gets it.
      await expect.poll(() => effectsOf(bench, key).length, { timeout: 10_000 }).toBe(1);
      const winner = effectsOf(bench, key)[0];
      holder?.send('SIGCONT');

      const results = ids.map((id) => client.result({ queue: QUEUE, id }, { timeoutMs: 15_000 }));
      expect(new Set(await Promise.all(results))).toEqual(new Set([winner?.id]));
      expect(startsOf(bench, key).length).toBe(2);
      // The holder hears that the task is not its own before it gets to its effect, or what it did is refused.
      expect(effectsOf(bench, key).filter((note) => note.pid !== holder?.pid)).toHaveLength(1);
    }
    await bench.drained();
    expect(await bench.deadLetters()).toEqual([]);
  });

  it('take turns when one of them fails: the next one runs', async () => {
    const bench = await Bench.open();
    const runs: string[] = [];
    let atOnce = 0;
    let most = 0;
    const { client } = await bench.app({
      words: { maxAttempts: 1 },
      tasks: {
        job: async (_: unknown, ctx) => {
          runs.push(ctx.taskId);
          atOnce += 1;
          most = Math.max(most, atOnce);
          await sleep(100);
          atOnce -= 1;
          if (ctx.taskId === 'first') throw new Error('declined');
          return ctx.taskId;
        },
      },
    });
    for (const id of ['first', 'second', 'third']) {
      await client.enqueue('job', {}, { id, queue: QUEUE, idempotencyKey: 'k' });
    }

    const results = ['second', 'third'].map((id) =>
      client.result({ queue: QUEUE, id }, { timeoutMs: 3 * USUAL.lease }),
    );
    expect(new Set(await Promise.all(results)).size).toBe(1);
    expect(runs.length).toBe(2);
    expect(most).toBe(1);
    await expect.poll(async () => (await bench.deadLetters()).map((letter) => letter.id)).toEqual(['first']);
  });
});

function startsOf(bench: Bench, key: string) {
  return bench.ledger.of('start').filter((note) => note.key === key);
}

function effectsOf(bench: Bench, key: string) {
  return bench.ledger.of('effect').filter((note) => note.key === key);
}

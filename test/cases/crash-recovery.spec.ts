import { describe, expect, it } from 'vitest';
import { Bench, DRAINED, many } from './support/bench.js';
import { QUEUE, RECOVERED_MS } from './support/options.js';
import { Supervisor } from './support/worker-process.js';

describe('a task whose worker is lost', () => {
  it('starts again soon after a kill, although there was never another worker', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const first = await bench.worker();
    await client.enqueue('job', { ms: 1_000 }, { id: 'a', queue: QUEUE });
    await expect.poll(() => bench.ledger.count('start')).toBe(1);
    const [consumer] = await bench.consumers();

    await first.kill();
    // How long a process needs to start says something about this machine only.
    await bench.worker();

    await expect.poll(() => bench.ledger.count('start'), { timeout: RECOVERED_MS }).toBe(2);
    await bench.drained();
    expect(bench.ledger.effects()).toEqual({ tasks: 1, effects: 1 });
    expect((await bench.pending()).filter((row) => row.consumer === consumer)).toEqual([]);
  });

  it('is recovered after any number of kills, by a fleet and by a single fresh worker', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const fleet = new Supervisor(() => bench.worker({ words: { crashLimit: 100 } }));
    await fleet.run(2);
    for (let kills = 0; kills < 4; kills += 1) {
      await client.enqueueMany(many(75, { ms: 30 }, `t${kills}`));
      const before = bench.ledger.count('effect');
      await expect.poll(() => bench.ledger.count('effect'), { timeout: 30_000 }).toBeGreaterThan(before);
      await fleet.running[kills % fleet.running.length]?.kill();
    }
    await fleet.stop();

    // Nothing may be left that only the dead could remove: what is kept without an end are the tasks themselves.
    const kept = await keysWithoutEnd(bench);
    expect(kept.filter((key) => !/:(stream|wake|meta|t:t\d+)$/.test(key))).toEqual([]);

    await bench.worker({ words: { crashLimit: 100 } });
    await bench.drained(30_000);
    expect(bench.ledger.effects().tasks).toBe(300);
    expect(await bench.deadLetters()).toEqual([]);
  });

  it('is recovered together with a thousand others at full speed, not one in each sweep', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    await client.enqueueMany(many(1_000));
    await bench.takeAs('dead', 1_000);

    const done: number[] = [];
    await bench.app({ tasks: { job: () => done.push(Date.now()) } });
    await bench.app({ tasks: { job: () => done.push(Date.now()) } });

    await bench.drained(20_000);
    expect(done.length).toBe(1_000);
    const seconds = ((done.at(-1) ?? 0) - (done[0] ?? 0)) / 1_000;
    expect(1_000 / seconds).toBeGreaterThan(200);
  });

  it('is done once although names of dead workers are removed all the time, as fast as the options allow', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    await client.enqueueMany(many(50));
    await bench.takeAs('old', 50);

    const done: string[] = [];
    const tasks = { job: (_: unknown, ctx: { readonly taskId: string }) => void done.push(ctx.taskId) };
    const words = { consumerTtl: 100, concurrency: 5 };
    const worker = await bench.app({ words, tasks });
    await expect.poll(() => done.length, { timeout: RECOVERED_MS }).toBeGreaterThan(0);
    // The worker leaves too, in the middle of it, and removes what it may.
    await worker.app.close();
    await bench.app({ words, tasks });

    await bench.drained();
    await expect.poll(() => bench.consumers(), { timeout: 3_000 }).not.toContain('old');
    expect(done.length).toBe(50);
    expect(new Set(done).size).toBe(50);
  });
});

describe('a handler that fails', () => {
  it.each([
    { attempts: 1, done: 0, dead: 200 },
    { attempts: 3, done: 200, dead: 0 },
  ])('leaves nothing pending with $attempts attempts', async ({ attempts, done, dead }) => {
    const bench = await Bench.open();
    let effects = 0;
    const { client } = await bench.app({
      words: { maxAttempts: attempts, concurrency: 50 },
      tasks: {
        job: (_: unknown, ctx) => {
          if (ctx.attempt === 1) throw new Error('once');
          effects += 1;
        },
      },
    });
    await client.enqueueMany(many(200));

    await expect.poll(async () => effects + (await bench.deadLetters()).length, { timeout: 15_000 }).toBe(200);
    await bench.drained();
    expect(effects).toBe(done);
    const letters = await bench.deadLetters();
    expect(letters.length).toBe(dead);
    expect(new Set(letters.map((letter) => letter.reason)).size).toBe(dead === 0 ? 0 : 1);
    if (dead > 0) expect(letters[0]?.reason).toBe('attempts-exhausted');
  });
});

it('lets a task be done that once took its process with it by using up all memory', async () => {
  const bench = await Bench.open();
  const { client } = await bench.producer();
  const supervisor = new Supervisor(() => bench.worker({ nodeArguments: ['--max-old-space-size=64'] }));
  await supervisor.run(1);

  await client.enqueue('job', { deaths: 1, death: 'memory' }, { id: 'a', queue: QUEUE });

  await expect.poll(() => bench.ledger.count('effect'), { timeout: 20_000 }).toBe(1);
  await bench.drained();
  expect(
    bench.ledger
      .all()
      .map((note) => note.what)
      .filter((what) => what === 'start' || what === 'effect'),
  ).toEqual(['start', 'start', 'effect']);
  expect(await client.get({ queue: QUEUE, id: 'a' })).toMatchObject({ state: 'completed', failedAttempts: 0 });
  expect(await bench.remains()).toEqual(DRAINED);
});

async function keysWithoutEnd(bench: Bench): Promise<string[]> {
  const keys = await bench.redis.keys(`${bench.prefix}:*`);
  const ttls = await Promise.all(keys.map((key) => bench.redis.pttl(key)));
  // One key for all queues there are.
  return keys.filter((key, i) => ttls[i] === -1 && key !== `${bench.prefix}:queues`);
}

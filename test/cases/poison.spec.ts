import { expect, it } from 'vitest';
import { Bench, DRAINED, many } from './support/bench.js';
import { QUEUE } from './support/options.js';
import { Supervisor } from './support/worker-process.js';

it('sets tasks aside that end their process, and nothing that shared a process with them', async () => {
  const bench = await Bench.open();
  const { client } = await bench.producer();
  const words = { concurrency: 5, crashLimit: 2 };
  const killers = many(2, { deaths: 1_000, secret: 'intact' }, 'killer');
  await client.enqueueMany([...killers, ...many(3, { ms: 500 }, 'beside'), ...many(20, {}, 'after')]);
  const supervisor = new Supervisor(() => bench.worker({ words }));
  await supervisor.run(1);

  await bench.drained(40_000);
  const letters = await bench.deadLetters();
  expect(supervisor.deaths).toBeLessThanOrEqual(2 * (words.crashLimit + 1));
  expect(letters.map(({ id, reason, body }) => ({ id, reason, body }))).toEqual([
    { id: 'killer0', reason: 'crash-limit', body: '{"deaths":1000,"secret":"intact"}' },
    { id: 'killer1', reason: 'crash-limit', body: '{"deaths":1000,"secret":"intact"}' },
  ]);
  expect(bench.ledger.effects().tasks).toBe(23);
});

it('gives a task up that ends its process each time, with its bytes, and goes on with the others', async () => {
  const bench = await Bench.open();
  const { client } = await bench.producer();
  const supervisor = new Supervisor(() => bench.worker({ words: { concurrency: 1, crashLimit: 2 } }));
  await client.enqueueMany([...many(1, { deaths: 1_000, secret: 'intact' }, 'killer'), ...many(20, {}, 'good')]);
  await supervisor.run(1);

  await bench.drained(30_000);
  expect(await bench.deadLetters()).toMatchObject([
    { id: 'killer0', reason: 'crash-limit', body: '{"deaths":1000,"secret":"intact"}' },
  ]);
  // What was being settled when the process ended may run once more.
  expect(bench.ledger.effects().tasks).toBe(20);
  expect(supervisor.deaths).toBe(2);
});

it('works on good tasks at once while bad ones hang, and gives those up after their attempts', async () => {
  const bench = await Bench.open();
  const done: string[] = [];
  const counts: number[] = [];
  const { client, health } = await bench.app({
    words: { taskTimeout: 400 },
    tasks: {
      bad: (_: unknown, ctx) => {
        counts.push(ctx.deliveryCount);
        return new Promise(() => undefined);
      },
      good: (_: unknown, ctx) => done.push(ctx.taskId),
    },
  });
  await client.enqueueMany(many(4, {}, 'bad', 'bad'));
  await client.enqueueMany(many(500, {}, 'good', 'good'));

  await expect.poll(() => done.length, { timeout: 5_000 }).toBe(500);
  await bench.drained();
  const letters = await bench.deadLetters();
  expect(letters.map(({ reason, id }) => `${id} ${reason}`).toSorted()).toEqual(
    [0, 1, 2, 3].map((i) => `bad${i} timeout`),
  );
  expect(counts.length).toBe(4 * 3);
  expect(Math.max(...counts)).toBe(1);
  expect(await health.isReady('tasks', { maxDead: 3 })).toMatchObject({
    tasks: { status: 'down', queues: { [QUEUE]: { dead: 4 } } },
  });
});

it('keeps each dead letter once, whatever dies while they are written', async () => {
  const bench = await Bench.open();
  const words = { maxAttempts: 2, crashLimit: 100, backoff: 10, lease: 500, sweep: 100 };
  const { client } = await bench.producer(words);
  const fleet = new Supervisor(() => bench.worker({ words }));
  await fleet.run(2);
  for (let kills = 0; kills < 3; kills += 1) {
    await client.enqueueMany(many(50, { ms: 20, failures: 99 }, `t${kills}-`));
    const starts = bench.ledger.count('start');
    await expect.poll(() => bench.ledger.count('start'), { timeout: 30_000 }).toBeGreaterThan(starts + 10);
    await fleet.running[kills % fleet.running.length]?.kill();
  }

  await bench.drained(30_000);
  const letters = await bench.deadLetters();
  expect(letters.length).toBe(150);
  expect(new Set(letters.map((letter) => letter.source)).size).toBe(150);
  expect(new Set(letters.map((letter) => letter.id)).size).toBe(150);
  expect(new Set(letters.map((letter) => letter.reason))).toEqual(new Set(['attempts-exhausted']));
  expect(await bench.remains()).toEqual(DRAINED);
});

import { describe, expect, it } from 'vitest';
import { Bench, many } from './support/bench.js';
import { sleep } from './support/case-app.js';
import { QUEUE, RECOVERED_MS, USUAL } from './support/options.js';

describe('a worker that is well', () => {
  it('keeps a task for as long as it takes: it runs once and is handed out once', async () => {
    const bench = await Bench.open();
    const counts = new Set<number>();
    const runs: string[] = [];
    const { client } = await bench.app({
      words: { taskTimeout: 20_000 },
      tasks: {
        job: async (_: unknown, ctx) => {
          runs.push(ctx.taskId);
          await sleep(4 * USUAL.lease);
        },
      },
    });
    await client.enqueueMany(many(10));

    await expect.poll(() => runs.length).toBe(10);
    while (runs.length > 0 && (await bench.remains()).stream > 0) {
      for (const row of await bench.pending()) counts.add(row.deliveryCount);
      await sleep(100);
    }

    await bench.drained();
    expect(runs.toSorted()).toEqual([...new Set(runs)].toSorted());
    expect([...counts]).toEqual([1]);
  });

  it('fetches no more than it can begin, so that nothing grows old while it waits for a slot', async () => {
    const bench = await Bench.open();
    let runs = 0;
    const { client } = await bench.app({
      words: { concurrency: 1 },
      tasks: {
        job: async () => {
          runs += 1;
          await sleep(0.8 * USUAL.lease);
        },
      },
    });
    await client.enqueueMany(many(6));

    let most = 0;
    const counts = new Set<number>();
    await expect
      .poll(
        async () => {
          const rows = await bench.pending();
          most = Math.max(most, rows.length);
          for (const row of rows) counts.add(row.deliveryCount);
          return (await bench.remains()).stream;
        },
        { timeout: 20_000, interval: 50 },
      )
      .toBe(0);

    expect(runs).toBe(6);
    expect(most).toBe(1);
    expect([...counts]).toEqual([1]);
  });

  it('keeps a long task, and loses it soon after it was killed, with the same options', async () => {
    const bench = await Bench.open();
    const words = { taskTimeout: 60_000 };
    const { client } = await bench.producer(words);
    const first = await bench.worker({ words });
    await bench.worker({ words });
    await client.enqueue('job', { ms: 3 * USUAL.lease }, { id: 'whole', queue: QUEUE });
    await expect.poll(() => bench.ledger.count('effect', 'whole'), { timeout: 15_000 }).toBe(1);
    expect(bench.ledger.count('start', 'whole')).toBe(1);

    await client.enqueue('job', { ms: 3 * USUAL.lease }, { id: 'broken', queue: QUEUE });
    await expect.poll(() => bench.ledger.count('start', 'broken')).toBe(1);
    await sleep(1.5 * USUAL.lease);
    const owner = bench.ledger.of('start', 'broken')[0]?.pid;
    // Whoever owns it; the other one takes over.
    if (owner !== undefined) process.kill(owner, 'SIGKILL');
    await expect.poll(() => bench.ledger.count('start', 'broken'), { timeout: RECOVERED_MS }).toBe(2);
    await bench.drained(20_000);
    expect(bench.ledger.of('effect', 'broken').map((note) => note.deliveryCount)).toEqual([2]);
    await first.kill();
  });

  it('never runs a task a second time, or without its payload, while sweeps go on all the time', async () => {
    const bench = await Bench.open();
    const runs: string[] = [];
    const faults: unknown[] = [];
    const tasks = {
      job: async (payload: { readonly n?: number }, ctx: { readonly taskId: string; readonly name: string }) => {
        if (payload?.n !== 7 || ctx.name !== 'job') faults.push(payload);
        await sleep(Number(ctx.taskId.slice(1)) % 5);
        runs.push(ctx.taskId);
      },
    };
    const { client } = await bench.app({ words: { sweep: 10, concurrency: 50 }, tasks });
    await bench.app({ words: { sweep: 10, concurrency: 50 }, tasks });
    await client.enqueueMany(many(2_000, { n: 7 }));

    await bench.drained(20_000);
    expect(faults).toEqual([]);
    expect(runs.length).toBe(2_000);
    expect(new Set(runs).size).toBe(2_000);
    expect(await bench.deadLetters()).toEqual([]);
  });
});

describe('a worker that was paused for longer than its lease', () => {
  it('settles nothing any more: the other run counts, the late one is told and refused', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const workers = [await bench.worker(), await bench.worker()];
    const rounds = 4;
    for (let round = 0; round < rounds; round += 1) {
      const id = `round-${round}`;
      await client.enqueue('job', { ms: 500 }, { id, queue: QUEUE });
      await expect.poll(() => bench.ledger.count('start', id)).toBe(1);
      const owner = workers.find((worker) => worker.pid === bench.ledger.of('start', id)[0]?.pid);
      owner?.send('SIGSTOP');
      await expect.poll(() => bench.ledger.count('effect', id), { timeout: RECOVERED_MS + 500 }).toBe(1);
      await expect.poll(async () => (await client.get({ queue: QUEUE, id }))?.state).toBe('completed');
      owner?.send('SIGCONT');
      // It learns of it: by its next renewal, or by the refusal of what it has to say.
      await expect
        .poll(() => bench.ledger.count('lease-lost', id) + bench.ledger.count('fenced', id), { timeout: 5_000 })
        .toBeGreaterThan(0);
    }

    await bench.drained();
    expect(bench.ledger.count('start')).toBe(2 * rounds);
    for (let round = 0; round < rounds; round += 1) {
      const effects = bench.ledger.of('effect', `round-${round}`);
      // The paused handler may get to its effect before it hears that it is not the owner: it is at least once, and
      // a ledger with a unique key has the effect once.
      expect(effects.length).toBeLessThanOrEqual(2);
      expect(await client.get({ queue: QUEUE, id: `round-${round}` })).toMatchObject({
        deliveryCount: 2,
        result: `round-${round}`,
      });
    }
    expect(bench.ledger.count('gone') + bench.ledger.count('redis-error')).toBe(0);
  });

  it('is told by its signal, when it comes back in the middle of its work', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const workers = [await bench.worker(), await bench.worker()];
    await client.enqueue('job', { ms: 4_000 }, { id: 'a', queue: QUEUE });
    await expect.poll(() => bench.ledger.count('start', 'a')).toBe(1);
    const owner = workers.find((worker) => worker.pid === bench.ledger.of('start', 'a')[0]?.pid);

    owner?.send('SIGSTOP');
    await expect.poll(() => bench.ledger.count('start', 'a'), { timeout: RECOVERED_MS }).toBe(2);
    owner?.send('SIGCONT');

    await expect
      .poll(() => bench.ledger.of('aborted', 'a'), { timeout: 5_000 })
      // By its own clock at once, or by what Redis says.
      .toMatchObject([{ pid: owner?.pid, detail: expect.stringMatching(/^TASK_STREAMS_LEASE_(UNCERTAIN|LOST)$/) }]);
    await bench.drained();
    expect(bench.ledger.of('effect', 'a')).toMatchObject([{ deliveryCount: 2 }]);
  });
});

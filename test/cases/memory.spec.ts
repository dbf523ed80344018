import { describe, expect, it, onTestFinished } from 'vitest';
import { QueueFullError } from '../../libs/task-streams/src/index.js';
import { startTestRedis } from '../support/redis-server.js';
import { Bench, DRAINED, many } from './support/bench.js';
import { sleep } from './support/case-app.js';
import { QUEUE } from './support/options.js';
import { entryOf } from './support/wire.js';

async function privateBench(extraArgs: readonly string[] = []): Promise<Bench> {
  const server = await startTestRedis({ extraArgs });
  onTestFinished(() => server.stop());
  return Bench.open({ url: server.url });
}

async function usedMemory(bench: Bench): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await bench.redis.info('memory'))?.[1]);
}

describe('finished tasks', () => {
  it('leave no entry behind, and no key that stays', async () => {
    const bench = await privateBench();
    const { client } = await bench.app({
      words: { concurrency: 200, dedupWindow: 0 },
      options: { retention: { completedMs: 0 } },
      tasks: { job: () => undefined },
    });
    const before = await usedMemory(bench);
    for (let round = 0; round < 10; round += 1) await client.enqueueMany(many(1_000, {}, `r${round}-`));

    await bench.drained(30_000);
    expect(await usedMemory(bench)).toBeLessThan(before + 5_000_000);
    await expect.poll(async () => (await bench.redis.keys('*')).filter((key) => key.includes(':t:'))).toEqual([]);
  });

  it('are remembered only for as long as the options say', async () => {
    const bench = await Bench.open();
    const { client } = await bench.app({ words: { dedupWindow: 500 }, tasks: { job: () => undefined } });
    await client.enqueueMany(many(100));
    await bench.drained();
    const records = (await bench.redis.keys(`${bench.prefix}:*`)).filter((key) => key.includes(':t:'));
    for (const key of records) expect(await bench.redis.pttl(key)).not.toBe(-1);
    await expect
      .poll(async () => (await bench.redis.keys(`${bench.prefix}:*`)).filter((key) => key.includes(':t:')))
      .toEqual([]);
  });
});

describe('a Redis that is full', () => {
  const FULL = ['SET', 'maxmemory', '1000000'] as const;
  const text = 'x'.repeat(500);

  it('says so to whoever sends, can be worked off, and costs no task an attempt', async () => {
    const bench = await privateBench();
    const { client } = await bench.producer();
    const attempts = new Set<number>();
    const done = new Set<string>();
    const tasks = {
      job: async (_: unknown, ctx: { readonly attempt: number; readonly taskId: string }) => {
        attempts.add(ctx.attempt);
        await sleep(20);
        done.add(ctx.taskId);
      },
    };
    const workers = [await bench.app({ tasks }), await bench.app({ tasks })];
    await client.enqueueMany(many(1_000, { text }));
    await expect.poll(() => done.size).toBeGreaterThan(0);

    await bench.redis.config(...FULL);
    const begin = Date.now();
    const refused = client.enqueue('job', {}, { id: 'late', queue: QUEUE });
    await expect(refused).rejects.toThrow(QueueFullError);
    await expect(refused).rejects.toMatchObject({ code: 'TASK_STREAMS_QUEUE_FULL', taskIds: ['late'] });
    expect(Date.now() - begin).toBeLessThan(500);

    await expect.poll(() => done.size, { timeout: 15_000 }).toBe(1_000);
    await bench.drained();
    await bench.redis.config('SET', 'maxmemory', '0');
    await client.enqueue('job', {}, { id: 'late', queue: QUEUE });
    await expect.poll(() => done.has('late')).toBe(true);
    expect([...attempts]).toEqual([1]);
    expect(await bench.deadLetters()).toEqual([]);
    expect(workers.flatMap((worker) => worker.eventsOf('lease-lost'))).toEqual([]);
  });

  it('can be worked off by a worker that starts only then', async () => {
    const bench = await privateBench();
    const { client } = await bench.producer();
    await client.enqueueMany(many(500, { text }));
    await bench.takeAs('dead', 1);
    await bench.redis.config(...FULL);

    let done = 0;
    await bench.app({ tasks: { job: () => void (done += 1) } });

    await expect.poll(() => done, { timeout: 4_000 }).toBe(500);
  });
});

describe('tasks that somebody trimmed away', () => {
  it('are told as lost, one by one, and stop nobody', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    await client.enqueueMany(many(5, {}, 'lost'));
    await bench.takeAs('gone', 5);
    const entries = (await bench.pending()).map((row) => row.entryId);
    await bench.redis.xtrim(bench.stream, 'MAXLEN', 0);

    let done = 0;
    const { eventsOf } = await bench.app({ tasks: { job: () => void (done += 1) } });
    await client.enqueueMany(many(100));

    await bench.drained();
    expect(done).toBe(100);
    const letters = await bench.deadLetters();
    expect(letters.map((letter) => letter.reason)).toEqual(Array(5).fill('payload-deleted'));
    expect(letters.map((letter) => letter.source).toSorted()).toEqual(entries.toSorted());
    expect(eventsOf('payload-deleted').reduce((sum, event) => sum + event.count, 0)).toBe(5);
  });
});

describe('a long queue', () => {
  it('is never shortened by adding to it: everything that was accepted is done', async () => {
    const bench = await privateBench();
    const { client } = await bench.producer();
    const total = 20_000;
    for (let sent = 0; sent < total; sent += 5_000) await client.enqueueMany(many(5_000, {}, `s${sent}-`));
    expect(await bench.redis.xlen(bench.stream)).toBe(total);

    const done = new Set<string>();
    const tasks = { job: (_: unknown, ctx: { readonly taskId: string }) => void done.add(ctx.taskId) };
    await bench.app({ words: { concurrency: 200 }, tasks });
    await bench.app({ words: { concurrency: 200 }, tasks });

    await expect.poll(() => done.size, { timeout: 40_000 }).toBe(total);
    await bench.drained();
    expect(await bench.remains()).toEqual(DRAINED);
  });

  it('takes an entry that another program adds with nothing but XADD', async () => {
    const bench = await Bench.open();
    const done: unknown[] = [];
    const { client } = await bench.app({ tasks: { job: (payload: unknown) => done.push(payload) } });
    await bench.xadd(entryOf({ id: 'by-hand', body: '{"n":1}' }));
    await expect.poll(() => done).toEqual([{ n: 1 }]);
    expect(await client.get({ queue: QUEUE, id: 'by-hand' })).toMatchObject({ state: 'completed' });
  });
});

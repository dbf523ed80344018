import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestRedis, type TestRedis, type TestRedisOptions } from '../support/redis-server.js';
import { Bench, many } from './support/bench.js';
import { sleep } from './support/case-app.js';
import { QUEUE, USUAL } from './support/options.js';
import { Proxy } from './support/proxy.js';

async function privateRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  const redis = await startTestRedis(options);
  onTestFinished(() => redis.stop());
  return redis;
}

describe('when everything in Redis is gone', () => {
  it('works on with what comes next, quietly and without being busy meanwhile', async () => {
    const server = await privateRedis();
    const bench = await Bench.open({ url: server.url });
    const workers = [await bench.worker(), await bench.worker()];
    const { client } = await bench.producer();
    await client.enqueue('job', {}, { queue: QUEUE });
    await bench.drained();
    const before = await Promise.all(workers.map((worker) => worker.ask<NodeJS.CpuUsage>('cpu')));
    const linesBefore = workers.map((worker) => worker.log.length);

    await server.kill('SIGKILL');
    const gapAt = Date.now();
    await sleep(1_000);
    await server.restart();
    await sleep(3_000);
    const after = await Promise.all(workers.map((worker) => worker.ask<NodeJS.CpuUsage>('cpu')));
    const gapMs = Date.now() - gapAt;
    await client.enqueueMany(many(100));

    await expect.poll(() => bench.ledger.effects().tasks, { timeout: 3_000 }).toBe(101);
    workers.forEach((worker, i) => {
      expect(worker.log.length - (linesBefore[i] ?? 0)).toBeLessThan(50);
      const usedUs =
        (after[i]?.user ?? 0) - (before[i]?.user ?? 0) + (after[i]?.system ?? 0) - (before[i]?.system ?? 0);
      expect(usedUs / 1_000 / gapMs).toBeLessThan(0.1);
    });
  });
});

describe('when the group is gone', () => {
  it('runs exactly what waits, and nothing again that was done before', async () => {
    const bench = await Bench.open();
    const runs: string[] = [];
    const tasks = { job: (_: unknown, ctx: { readonly taskId: string }) => void runs.push(ctx.taskId) };
    const first = await bench.app({ tasks });
    const { client } = await bench.producer();
    await client.enqueueMany(many(1_000, {}, 'old'));
    await bench.drained();
    await first.app.close();
    await client.enqueueMany(many(50, {}, 'new'));
    runs.length = 0;

    await bench.redis.xgroup('DESTROY', bench.stream, 'workers');
    await bench.app({ tasks });

    await bench.drained();
    expect(runs.toSorted()).toEqual(
      many(50, {}, 'new')
        .map((task) => task.options.id)
        .toSorted(),
    );
  });
});

describe('when the stream is deleted while tasks run', () => {
  it('lets them end and takes what comes next', async () => {
    const bench = await Bench.open();
    const done: string[] = [];
    const { client, eventsOf } = await bench.app({
      tasks: {
        job: async (payload: { readonly ms?: number }, ctx) => {
          if (payload.ms) await sleep(payload.ms);
          done.push(ctx.taskId);
        },
      },
    });
    await client.enqueueMany(many(5, { ms: 1_000 }, 'running'));
    await expect.poll(() => eventsOf('started').length).toBe(5);

    await bench.redis.del(bench.stream);
    await client.enqueueMany(many(20, {}, 'next'));

    await expect.poll(() => done.filter((id) => id.startsWith('next')).length, { timeout: 3_000 }).toBe(20);
    await expect.poll(() => done.length, { timeout: 3_000 }).toBe(25);
    await bench.drained();
    expect(await bench.deadLetters()).toEqual([]);
    expect(new Set(done).size).toBe(25);
    // There is no event of its own for a group that was made again: the trouble is told, and its end.
    expect(eventsOf('redis-error').map((event) => event.operation)).toContain('fetch');
    expect(eventsOf('redis-recovered').map((event) => event.operation)).toContain('fetch');
  });
});

describe('a worker that waits for tasks', () => {
  const losses = [
    { what: 'the stream is deleted', command: (bench: Bench) => bench.redis.del(bench.stream) },
    { what: 'everything is flushed', command: (bench: Bench) => bench.redis.flushall() },
    {
      what: 'the group is destroyed',
      command: (bench: Bench) => bench.redis.xgroup('DESTROY', bench.stream, 'workers'),
    },
  ];

  it.each(losses)('takes the next task when $what under it', async ({ command }) => {
    const server = await privateRedis();
    const bench = await Bench.open({ url: server.url });
    const done: string[] = [];
    const { client } = await bench.app({ tasks: { job: (_: unknown, ctx) => done.push(ctx.taskId) } });
    await expect.poll(() => bench.redis.client('LIST')).toMatch(/cmd=blpop/);

    await command(bench);
    await client.enqueue('job', {}, { id: 'next', queue: QUEUE });

    await expect.poll(() => done, { timeout: USUAL.block + 2_000 }).toEqual(['next']);
  });

  it('says why it cannot work while another program has written over the stream, is not busy, and recovers', async () => {
    const server = await privateRedis();
    const proxy = await Proxy.start(server.url);
    const bench = await Bench.open({ url: server.url, through: proxy.url });
    const done: string[] = [];
    const { client, health } = await bench.app({ tasks: { job: (_: unknown, ctx) => done.push(ctx.taskId) } });
    await expect.poll(() => proxy.waitingFor('blpop').length).toBe(1);

    await bench.redis.set(bench.stream, 'not a stream');
    let requests = 0;
    proxy.onRequest = () => {
      requests += 1;
      return 'pass';
    };
    await sleep(3_000);
    // The sweep and the promoter go on in their rhythm; only the fetch has trouble, and waits longer and longer.
    expect(requests / 3).toBeLessThanOrEqual(30);
    expect(await health.isReady('tasks')).toMatchObject({
      tasks: { status: 'down', problems: expect.arrayContaining([expect.stringContaining('WRONGTYPE')]) },
    });
    await bench.redis.del(bench.stream);
    await client.enqueue('job', {}, { id: 'next', queue: QUEUE });

    // The longest pause after an error is five seconds.
    await expect.poll(() => done, { timeout: 6_000 }).toEqual(['next']);
    await expect.poll(async () => (await health.isReady('tasks')).tasks.status, { timeout: 6_000 }).toBe('up');
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { InvalidOptionError, TaskStreamsModule } from '../../libs/task-streams/src/index.js';
import { startTestRedis } from '../support/redis-server.js';
import { Bench, many } from './support/bench.js';
import { QUEUE } from './support/options.js';
import { Supervisor } from './support/worker-process.js';

const DAY = 24 * 3_600_000;

async function durableRedis() {
  const server = await startTestRedis({ appendOnly: true, extraArgs: ['--appendfsync', 'always'] });
  onTestFinished(() => server.stop());
  return server;
}

describe('a wait that grows beyond every timer', () => {
  it('is kept in Redis and capped, so that it never turns into no wait at all', async () => {
    const warnings: string[] = [];
    const hear = (warning: Error) => warnings.push(warning.name);
    process.on('warning', hear);
    onTestFinished(() => void process.off('warning', hear));
    const bench = await Bench.open();
    let runs = 0;
    const { client } = await bench.app({
      tasks: {
        job: () => {
          runs += 1;
          throw new Error('always');
        },
      },
    });
    const backoff = {
      type: 'exponential',
      delayMs: 1_000,
      factor: 1_000,
      maxDelayMs: 3_650 * DAY,
      jitter: 'none',
    } as const;
    const { ref } = await client.enqueue('job', {}, { id: 'grows', queue: QUEUE, attempts: 15, backoff });
    await client.enqueue('job', {}, { id: 'far', queue: QUEUE, delayMs: 60 * DAY });
    // The second wait is 1000 s, the third eleven days; the default cap is an hour.
    await expect.poll(() => runs, { timeout: 4_000 }).toBe(2);
    const runAt = (await client.get(ref))?.runAt?.getTime() ?? 0;
    expect(runAt - Date.now()).toBeGreaterThan(900_000);
    expect(await client.get({ queue: QUEUE, id: 'far' })).toMatchObject({ state: 'delayed' });
    expect(await bench.remains()).toEqual({ stream: 0, pending: 0, delayed: 2 });
    expect(warnings.filter((name) => name === 'TimeoutOverflowWarning')).toEqual([]);
  });

  it.each([Infinity, Number.NaN, -5])('is refused where it is no wait: %d', async (delayMs) => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    await expect(client.enqueue('job', {}, { queue: QUEUE, delayMs })).rejects.toThrow(InvalidOptionError);
    await expect(client.enqueue('job', {}, { queue: QUEUE, backoff: { type: 'fixed', delayMs } })).rejects.toThrow(
      InvalidOptionError,
    );
    expect(() => TaskStreamsModule.forRoot({ retry: { backoff: { type: 'fixed', delayMs } } })).toThrow(
      InvalidOptionError,
    );
    expect(await bench.redis.exists(bench.key('delayed'))).toBe(0);
  });
});

describe('delayed tasks', () => {
  it('all run, none early, whatever is killed while they become due', async () => {
    const server = await durableRedis();
    const bench = await Bench.open({ url: server.url });
    const words = { concurrency: 50, crashLimit: 100, lease: 500, sweep: 100 };
    const { client } = await bench.producer(words);
    const tasks = many(600).map(({ options, ...task }, i) => ({
      ...task,
      options: { ...options, delayMs: 500 + (i % 10) * 500 },
    }));
    const fleet = new Supervisor(() => bench.worker({ words }));
    await fleet.run(2);
    const sentAt = Date.now();
    await client.enqueueMany(tasks);
    for (let kills = 0; kills < 3; kills += 1) {
      const before = bench.ledger.count('effect');
      await expect.poll(() => bench.ledger.count('effect'), { timeout: 30_000 }).toBeGreaterThan(Math.min(before, 599));
      await fleet.running[kills % fleet.running.length]?.kill();
      if (kills === 1) {
        await server.kill('SIGKILL');
        await server.restart();
      }
    }

    await expect.poll(() => bench.ledger.effects().tasks, { timeout: 30_000 }).toBe(600);
    await bench.drained();
    for (const { id, at } of bench.ledger.of('start'))
      expect(at).toBeGreaterThanOrEqual(sentAt + 500 + (Number(id.slice(1)) % 10) * 500);
    expect(await bench.deadLetters()).toEqual([]);
  });

  it('run when they are due although Redis was killed and came back in between', async () => {
    const server = await durableRedis();
    const bench = await Bench.open({ url: server.url });
    const starts: number[] = [];
    const { client } = await bench.app({ tasks: { job: () => void starts.push(Date.now()) } });
    const sentAt = Date.now();
    await client.enqueueMany(
      many(100).map(({ options, ...task }) => ({ ...task, options: { ...options, delayMs: 3_000 } })),
    );
    await server.kill('SIGKILL');
    await server.restart();

    await expect.poll(() => starts.length, { timeout: 6_000 }).toBe(100);
    expect(Math.min(...starts) - sentAt).toBeGreaterThanOrEqual(3_000);
    expect(Math.max(...starts) - sentAt).toBeLessThan(4_500);
  });
});

describe('many tasks that fail together', () => {
  /** The largest share of the second attempts that are due within one second of the ten they may be spread over. */
  async function spikeOf(jitter: 'equal' | 'none'): Promise<number> {
    const bench = await Bench.open();
    const failedAt = new Map<string, number>();
    const { client } = await bench.app({
      words: { concurrency: 200, backoff: 20_000, backoffCap: 100_000, backoffJitter: jitter },
      tasks: {
        job: (_: unknown, ctx) => {
          failedAt.set(ctx.taskId, Date.now());
          throw new Error('the service is down');
        },
      },
    });
    await client.enqueueMany(many(500));
    await expect.poll(() => bench.redis.zcard(bench.key('delayed')), { timeout: 10_000 }).toBe(500);
    const due = await bench.redis.zrange(bench.key('delayed'), 0, '-1', 'WITHSCORES');
    const buckets = new Map<number, number>();
    for (let i = 0; i < due.length; i += 2) {
      const bucket = Math.floor((Number(due[i + 1]) - (failedAt.get(due[i] ?? '') ?? 0)) / 1_000);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    }
    return Math.max(...buckets.values()) / failedAt.size;
  }

  it('come back spread over time', async () => {
    expect(await spikeOf('equal')).toBeLessThan(0.18);
  });

  it('come back together only where jitter was switched off', async () => {
    expect(await spikeOf('none')).toBeGreaterThan(0.3);
  });

  it.each([
    { what: 'a backoff of its own', words: { maxAttempts: 8, backoff: 300, backoffCap: 5_000 }, options: {} },
    // The default waits two seconds and more: an outage of a second costs one attempt.
    { what: 'the default backoff', words: {}, options: { retry: {} } },
  ])('outlive an outage of a second with $what', async ({ words, options }) => {
    const bench = await Bench.open();
    const first = new Map<string, number>();
    const gaps: number[] = [];
    const done = new Set<string>();
    let isDown = true;
    const { client } = await bench.app({
      words,
      options,
      tasks: {
        job: (_: unknown, ctx) => {
          const began = first.get(ctx.taskId);
          if (ctx.attempt === 2 && began !== undefined) gaps.push(Date.now() - began);
          if (ctx.attempt === 1) first.set(ctx.taskId, Date.now());
          if (isDown) throw new Error('down');
          done.add(ctx.taskId);
        },
      },
    });
    setTimeout(() => (isDown = false), 800);
    await client.enqueueMany(many(200));

    await expect.poll(() => done.size, { timeout: 15_000 }).toBe(200);
    expect(await bench.deadLetters()).toEqual([]);
    expect(gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]).toBeGreaterThanOrEqual(100);
  });
});

import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  EnqueueUncertainError,
  QueueUnavailableError,
  TaskConflictError,
  type TaskReceipt,
} from '../../libs/task-streams/src/index.js';
import { startTestRedis } from '../support/redis-server.js';
import { Bench, many } from './support/bench.js';
import { QUEUE, USUAL } from './support/options.js';
import { Proxy } from './support/proxy.js';

describe('sending the same task again', () => {
  it('adds it once, although every tenth answer never came', async () => {
    const proxy = await Proxy.start(inject('redisUrl'));
    const bench = await Bench.open();
    const sender = await Bench.open({ through: proxy.url });
    // Each call is given too little time to repeat itself, so that the caller has to.
    const { client } = await sender.app({
      isProducer: true,
      options: { prefix: bench.prefix, enqueueTimeoutMs: 150 },
    });
    const done: string[] = [];
    await bench.app({ words: { concurrency: 50 }, tasks: { job: (_: unknown, ctx) => done.push(ctx.taskId) } });
    let answers = 0;
    proxy.onReply = (_, link) => {
      if (!/evalsha/i.test(link.lastRequest)) return 'pass';
      answers += 1;
      return answers % 10 === 0 ? 'swallow' : 'pass';
    };

    let retries = 0;
    const receipts: TaskReceipt[] = [];
    for (const { task, payload, options } of many(300)) {
      for (;;) {
        try {
          receipts.push(await client.enqueue(task, payload, options));
          break;
        } catch (error) {
          expect(error).toSatisfy(
            (reason) => reason instanceof EnqueueUncertainError || reason instanceof QueueUnavailableError,
          );
          retries += 1;
        }
      }
    }

    await bench.drained();
    expect(answers).toBeGreaterThan(300);
    expect(receipts.filter((receipt) => receipt.duplicate).length).toBeGreaterThan(20);
    expect(receipts.map((receipt) => receipt.id)).toEqual(many(300).map((task) => task.options.id));
    // A repeat is told which entry is its own, and whose state it is.
    for (const receipt of receipts) expect(receipt.entryId ?? receipt.state).toMatch(/^\d+-\d+$|completed/);
    expect(done.length).toBe(300);
    expect(new Set(done).size).toBe(300);
    expect(retries).toBeLessThan(300);
  });
});

describe('sending while Redis is away', () => {
  const count = 200;

  async function sendAll(client: { enqueue: (task: string, payload: unknown, options: object) => Promise<unknown> }) {
    const begin = Date.now();
    const outcomes = await Promise.all(
      many(count).map(async ({ task, payload, options }) => {
        const error: unknown = await client.enqueue(task, payload, options).catch((reason: unknown) => reason);
        return { error, id: options.id, ms: Date.now() - begin };
      }),
    );
    return outcomes;
  }

  it('is refused within the deadline, with the id of the task, by a server that is down', async () => {
    const server = await startTestRedis();
    onTestFinished(() => server.stop());
    const bench = await Bench.open({ url: server.url });
    await server.kill('SIGKILL');
    const { client } = await bench.producer();
    const before = process.memoryUsage().rss;
    const outcomes = await sendAll(client);
    for (const { error, id, ms } of outcomes) {
      expect(error).toBeInstanceOf(QueueUnavailableError);
      expect((error as QueueUnavailableError).taskIds).toEqual([id]);
      expect(ms).toBeLessThan(USUAL.enqueueDeadline + 500);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });

  it('is refused as uncertain within the deadline by a server that hangs, and can be repeated', async () => {
    const server = await startTestRedis();
    onTestFinished(() => server.stop());
    const bench = await Bench.open({ url: server.url });
    const { client } = await bench.producer();
    await client.enqueue('job', {}, { id: 'first', queue: QUEUE });
    await server.kill('SIGSTOP');
    const outcomes = await sendAll(client);
    await server.kill('SIGCONT');
    for (const { error, id, ms } of outcomes) {
      expect(error).toBeInstanceOf(EnqueueUncertainError);
      expect((error as EnqueueUncertainError).taskIds).toEqual([id]);
      expect(ms).toBeLessThan(USUAL.enqueueDeadline + 500);
    }
    await expect.poll(() => bench.redis.ping().catch(() => undefined), { timeout: 5_000 }).toBe('PONG');
    await client.enqueueMany(many(count));
    expect(await bench.redis.xlen(bench.stream)).toBe(count + 1);
  });
});

describe('an id of one own', () => {
  it('always says what became of it: added, known already, or another task', async () => {
    const bench = await Bench.open();
    let runs = 0;
    const { client, letters } = await bench.app({
      words: { dedupWindow: 600, maxAttempts: 1 },
      tasks: {
        job: (payload: { readonly fails?: boolean }) => {
          runs += 1;
          if (payload.fails) throw new Error('no');
        },
      },
    });
    const send = (id: string, payload: object = {}) => client.enqueue('job', payload, { id, queue: QUEUE });
    const first = await send('u1');
    expect(first).toMatchObject({ duplicate: false, state: 'waiting', entryId: expect.stringMatching(/^\d+-\d+$/) });
    await expect.poll(async () => (await client.get(first.ref))?.state).toBe('completed');
    expect(await send('u1')).toMatchObject({ duplicate: true, state: 'completed' });
    await expect(send('u1', { other: true })).rejects.toThrow(TaskConflictError);
    expect(runs).toBe(1);
    // After the window it is new work.
    await expect.poll(() => client.get(first.ref), { timeout: 3_000 }).toBeUndefined();
    expect(await send('u1')).toMatchObject({ duplicate: false });
    await expect.poll(() => runs).toBe(2);

    await send('u2', { fails: true });
    await expect.poll(() => letters.count(QUEUE)).toBe(1);
    expect(await send('u2', { fails: true })).toMatchObject({ duplicate: true, state: 'dead' });
    const [letter] = (await letters.list(QUEUE)).letters;
    const { ref } = await letters.redrive(QUEUE, letter?.entryId ?? '', { payload: {} });
    await expect.poll(async () => (await client.get(ref))?.state).toBe('completed');
    expect(runs).toBe(4);
    expect(await letters.count(QUEUE)).toBe(0);
  });
});

import { describe, expect, inject, it } from 'vitest';
import { Bench, many } from './support/bench.js';
import { sleep } from './support/case-app.js';
import { QUEUE, RECOVERED_MS, USUAL } from './support/options.js';
import { Proxy } from './support/proxy.js';

async function throughProxy(): Promise<{ readonly bench: Bench; readonly proxy: Proxy }> {
  const proxy = await Proxy.start(inject('redisUrl'));
  return { proxy, bench: await Bench.open({ through: proxy.url }) };
}

describe('a worker whose waiting connection is reset', () => {
  it('takes the next task each time, and opens no more connections than it had', async () => {
    const { bench, proxy } = await throughProxy();
    const sender = await Bench.open();
    const done: string[] = [];
    await bench.app({ tasks: { job: (_: unknown, ctx) => done.push(ctx.taskId) } });
    const { client } = await sender.app({ isProducer: true, options: { prefix: bench.prefix } });
    await expect.poll(() => proxy.waitingFor('blpop').length).toBe(1);
    const before = proxy.links.size;

    for (let round = 0; round < 15; round += 1) {
      // At another moment of its wait each time.
      await sleep((round * 37) % 200);
      for (const link of proxy.waitingFor('blpop')) link.cut();
      await client.enqueue('job', {}, { id: `r${round}`, queue: QUEUE });
      await expect.poll(() => done.length, { timeout: 3_000 }).toBe(round + 1);
    }

    await expect.poll(() => proxy.links.size, { timeout: 3_000 }).toBeLessThanOrEqual(before + 1);
    expect(new Set(done).size).toBe(15);
  });
});

describe('a connection that is cut in the middle of a call', () => {
  it('leaves no promise open: sending, settling and asking for the health all end in time', async () => {
    const { bench, proxy } = await throughProxy();
    const done: string[] = [];
    const { client, health, app } = await bench.app({ tasks: { job: (_: unknown, ctx) => done.push(ctx.taskId) } });
    let wanted: ((request: string) => boolean) | undefined;
    proxy.onRequest = (request) => {
      if (!wanted?.(request)) return 'pass';
      wanted = undefined;
      return 'cut';
    };
    for (let round = 0; round < 6; round += 1) {
      const begin = Date.now();
      wanted = (request) => request.includes(`sent${round}`);
      // The deadline is two seconds; the call is repeated within it, because an id is added once.
      await client.enqueue('job', {}, { id: `sent${round}`, queue: QUEUE });
      await expect.poll(() => done.includes(`sent${round}`), { timeout: 5_000 }).toBe(true);
      expect(Date.now() - begin).toBeLessThan(USUAL.enqueueDeadline + 5_000);

      wanted = (request) => /evalsha/i.test(request) && done.includes(`acked${round}`);
      await client.enqueue('job', {}, { id: `acked${round}`, queue: QUEUE });
      await bench.drained(5_000);

      wanted = (request) => /info/i.test(request);
      const asked = Date.now();
      await health.isReady('tasks', { queues: [QUEUE, `other${round}`] });
      expect(Date.now() - asked).toBeLessThan(1_500);
    }

    expect(new Set(done).size).toBe(12);
    // While everything hangs, too.
    proxy.freeze();
    const begin = Date.now();
    await app.close();
    expect(Date.now() - begin).toBeLessThan(USUAL.shutdownTimeout + 5_000);
  });

  it('does not lose a hand-out whose answer was swallowed, and burns none of its attempts', async () => {
    const { bench, proxy } = await throughProxy();
    const starts: string[] = [];
    const attempts = new Set<number>();
    let replies = 0;
    let swallowed = 0;
    proxy.onReply = (reply) => {
      if (!reply.includes('victim')) return 'pass';
      replies += 1;
      if (replies % 10 !== 0) return 'pass';
      swallowed += 1;
      return 'swallow';
    };
    const sender = await Bench.open();
    const { client } = await sender.app({ isProducer: true, options: { prefix: bench.prefix } });
    const { events } = await bench.app({
      words: { concurrency: 4, crashLimit: 5 },
      tasks: {
        job: async (_: unknown, ctx) => {
          starts.push(ctx.taskId);
          attempts.add(ctx.attempt);
          await sleep(5);
        },
      },
    });
    await client.enqueueMany(many(200, { is: 'victim' }));

    await bench.drained(30_000);
    expect(swallowed).toBeGreaterThan(3);
    expect(new Set(starts).size).toBe(200);
    expect([...attempts]).toEqual([1]);
    expect(await bench.deadLetters()).toEqual([]);
    expect(events.filter((event) => event.kind === 'lease-lost')).toEqual([]);
    expect(RECOVERED_MS).toBeLessThanOrEqual(3_500);
  });
});

/** Throws what is no error, as code that is not ours does; a generator takes anything. */
function throwing(value: unknown): () => unknown {
  return () => nothing().throw(value);
}

function* nothing(): Generator<undefined> {
  yield undefined;
}

describe('a handler that throws', () => {
  it('is answered whatever it throws, and the worker goes on', async () => {
    const bench = await Bench.open();
    const thrown: Record<string, () => unknown> = {
      error: () => {
        throw new Error('an error');
      },
      text: throwing('a text'),
      nothing: throwing(undefined),
      null: throwing(null),
      later: () => new Promise((_, reject) => setTimeout(() => reject(new Error('a tick later')), 1)),
    };
    let good = 0;
    const { client, letters } = await bench.app({
      words: { maxAttempts: 2 },
      tasks: { ...thrown, good: () => void (good += 1) },
    });
    for (const name of Object.keys(thrown)) await client.enqueueMany(many(3, {}, name, name));
    await client.enqueueMany(many(50, {}, 'good', 'good'));

    await bench.drained();
    expect(good).toBe(50);
    const page = await letters.list(QUEUE);
    const messages = page.letters.map(({ name, reason, failedAttempts, error }) => [
      name,
      reason,
      failedAttempts,
      error?.message,
    ]);
    expect(messages.length).toBe(15);
    expect(new Set(messages.map((row) => row.join('|')))).toEqual(
      new Set([
        'error|attempts-exhausted|2|an error',
        'text|attempts-exhausted|2|a text',
        'nothing|attempts-exhausted|2|undefined',
        'null|attempts-exhausted|2|null',
        'later|attempts-exhausted|2|a tick later',
      ]),
    );
  });
});

it('does not take an empty wait for trouble, when other workers were quicker', async () => {
  const { bench, proxy } = await throughProxy();
  let done = 0;
  const workers = [];
  for (let i = 0; i < 4; i += 1) workers.push(await bench.app({ tasks: { job: () => void (done += 1) } }));
  const { client } = await bench.producer();
  await client.enqueue('job', {}, { queue: QUEUE });
  await expect.poll(() => proxy.waitingFor('blpop').length, { timeout: 5_000 }).toBe(4);
  const { opened } = proxy;

  for (let sent = 0; sent < 12; sent += 1) {
    await client.enqueue('job', {}, { queue: QUEUE });
    await sleep(0.7 * USUAL.block);
  }

  await expect.poll(() => done, { timeout: 3_000 }).toBe(13);
  expect(workers.flatMap((worker) => worker.eventsOf('redis-error'))).toEqual([]);
  expect(proxy.opened).toBe(opened);
});

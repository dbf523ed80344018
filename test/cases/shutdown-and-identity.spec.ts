import { describe, expect, it } from 'vitest';
import { Bench, DRAINED, many } from './support/bench.js';
import { sleep } from './support/case-app.js';
import { QUEUE, USUAL } from './support/options.js';
import { entryOf } from './support/wire.js';

describe('a worker that is asked to stop', () => {
  it('ends what runs, settles it, fetches nothing more, and leaves nothing to be run again', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const worker = await bench.worker();
    await client.enqueueMany(many(10, { ms: 1_500 }, 'running'));
    await expect.poll(() => bench.ledger.count('start')).toBe(10);

    const begin = Date.now();
    const stopped = worker.stop();
    await client.enqueueMany(many(5, {}, 'later'));
    const { code, signal } = await stopped;

    expect(Date.now() - begin).toBeLessThan(USUAL.shutdownTimeout + 2_000);
    // Nest ends the process by the signal it got, once everything is closed.
    expect(code ?? signal).toBe('SIGTERM');
    expect(bench.ledger.effects()).toEqual({ tasks: 10, effects: 10 });
    expect(await bench.remains()).toEqual({ stream: 5, pending: 0, delayed: 0 });
    expect(await bench.consumers()).toEqual([]);

    await bench.worker();
    await bench.drained();
    expect(bench.ledger.effects()).toEqual({ tasks: 15, effects: 15 });
    expect(bench.ledger.count('start')).toBe(15);
  });

  it('hands back what does not end, and burns neither an attempt nor a hand-out', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const worker = await bench.worker({ words: { shutdownTimeout: 300 } });
    await client.enqueue('job', { ms: 60_000 }, { id: 'long', queue: QUEUE });
    await expect.poll(() => bench.ledger.count('start')).toBe(1);

    await worker.stop();
    await bench.worker();

    await expect
      .poll(() => bench.ledger.of('start'), { timeout: 3_000 })
      .toMatchObject([
        { attempt: 1, deliveryCount: 1 },
        { attempt: 1, deliveryCount: 1 },
      ]);
    expect(bench.ledger.of('aborted')).toMatchObject([{ detail: 'TASK_STREAMS_WORKER_STOPPING' }]);
  });
});

describe('workers that start at the same moment', () => {
  it('have names of their own, and run no task twice', async () => {
    const bench = await Bench.open();
    const runs: string[] = [];
    const tasks = { job: (_: unknown, ctx: { readonly taskId: string }) => void runs.push(ctx.taskId) };
    // In one process: the same host name and the same process id, as containers have them.
    await Promise.all(Array.from({ length: 8 }, () => bench.app({ tasks })));
    const { client } = await bench.producer();
    await client.enqueueMany(many(1_000));

    await bench.drained();
    // Every worker that was handed something is known to the group, the others are when they first wait.
    await expect.poll(async () => (await bench.consumers()).length, { timeout: 3_000 }).toBe(8);
    expect(new Set(await bench.consumers()).size).toBe(8);
    expect(runs.length).toBe(1_000);
    expect(new Set(runs).size).toBe(1_000);
  });
});

describe('the names of workers that are gone', () => {
  it('go with them when they stop in the orderly way', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    let done = 0;
    for (let round = 0; round < 20; round += 1) {
      const { app } = await bench.app({ tasks: { job: () => void (done += 1) } });
      await client.enqueue('job', {}, { queue: QUEUE });
      await expect.poll(() => done).toBe(round + 1);
      await app.close();
    }
    expect(await bench.consumers()).toEqual([]);
    // A worker that lived for long enough leaves its sign of life, which goes by itself, and a task a mark that no worker waits for.
    const keys = (await bench.redis.keys(`${bench.prefix}:*`)).filter((key) => !/:t:|:heartbeat$|:wake$/.test(key));
    // The list of queues, the mark of the format and the empty stream.
    const ofQueue = [bench.stream.replace(/stream$/, 'meta'), bench.stream];
    expect(keys.toSorted()).toEqual([`${bench.prefix}:queues`, ...ofQueue].toSorted());
  });

  it('are removed by the others when they were killed and hold nothing', async () => {
    const bench = await Bench.open();
    for (let i = 0; i < 30; i += 1) {
      await bench.redis.xgroup('CREATE', bench.stream, 'workers', '0', 'MKSTREAM').catch(() => undefined);
      await bench.redis.xgroup('CREATECONSUMER', bench.stream, 'workers', `host:${i}:dead`);
    }
    await bench.xadd(entryOf({}));
    await bench.takeAs('holds-one', 1);

    await bench.app({ words: { consumerTtl: 500, lease: 20_000 }, tasks: { job: () => undefined } });

    const strangers = async () => (await bench.consumers()).filter((name) => /^host:|^holds-one$/.test(name));
    await expect.poll(strangers, { timeout: 8_000 }).toEqual(['holds-one']);
    expect((await bench.pending()).map((row) => row.consumer)).toEqual(['holds-one']);
  });
});

describe('workers that have had nothing to do for long', () => {
  it('are still there and work as before', async () => {
    const bench = await Bench.open();
    const runs: string[] = [];
    const workers = [];
    for (let i = 0; i < 3; i += 1) {
      const job = async (_: unknown, ctx: { readonly taskId: string }) => {
        runs.push(`${i} ${ctx.taskId}`);
        await sleep(5);
      };
      workers.push(await bench.app({ words: { block: 200, consumerTtl: 200 }, tasks: { job } }));
    }
    const { client } = await bench.producer();
    await client.enqueueMany(many(300, {}, 'before'));
    await bench.drained();
    // Ten times as long as it takes to be forgotten. A server before 7.2 does not count an empty read as a sign of life: a
    // name may go meanwhile, and comes again with the next task.
    await sleep(2_000);
    runs.length = 0;
    await client.enqueueMany(many(300, {}, 'after'));

    await bench.drained();
    expect(runs.length).toBe(300);
    expect(new Set(runs.map((run) => run[0])).size).toBe(3);
    expect((await bench.consumers()).length).toBe(3);
    expect(workers.flatMap((worker) => worker.eventsOf('redis-error'))).toEqual([]);
    expect(await bench.remains()).toEqual(DRAINED);
  });
});

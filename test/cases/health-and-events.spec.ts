import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestRedis } from '../support/redis-server.js';
import { Bench } from './support/bench.js';
import { sleep, type CaseApp } from './support/case-app.js';
import { QUEUE, USUAL } from './support/options.js';
import { Proxy } from './support/proxy.js';
import { Supervisor } from './support/worker-process.js';

interface Quiet {
  readonly bench: Bench;
  readonly proxy: Proxy;
  readonly worker: CaseApp;
  readonly done: string[];
}

/** A worker that waits for tasks, on a Redis of its own behind a proxy. */
async function startQuietWorker(): Promise<Quiet & { readonly server: Awaited<ReturnType<typeof startTestRedis>> }> {
  const server = await startTestRedis();
  onTestFinished(() => server.stop());
  const proxy = await Proxy.start(server.url);
  const bench = await Bench.open({ url: server.url, through: proxy.url });
  const done: string[] = [];
  const worker = await bench.app({ tasks: { job: (_: unknown, ctx) => done.push(ctx.taskId) } });
  await expect.poll(() => proxy.waitingFor('blpop').length, { timeout: 5_000 }).toBe(1);
  return { server, proxy, bench, worker, done };
}

async function readiness({
  health,
}: CaseApp): Promise<{ readonly status: string; readonly problems?: readonly string[] }> {
  return (await health.isReady('tasks')).tasks as never;
}

describe('the readiness of a worker', () => {
  it('stays up while there is nothing to do', async () => {
    const { worker } = await startQuietWorker();
    const seen = new Set<string>();
    for (let i = 0; i < 6; i += 1) {
      seen.add((await readiness(worker)).status);
      seen.add((await worker.health.isLive('tasks')).tasks.status);
      await sleep(500);
    }
    expect([...seen]).toEqual(['up']);
  });

  it('is down with the reason while Redis is stopped, and up again soon after; the process stays alive', async () => {
    const { server, worker, done } = await startQuietWorker();
    await server.kill('SIGSTOP');
    await expect.poll(async () => (await readiness(worker)).status, { timeout: 10_000 }).toBe('down');
    expect((await readiness(worker)).problems).toContainEqual(expect.stringContaining('Redis cannot be used'));
    expect((await worker.health.isLive('tasks')).tasks.status).toBe('up');

    await server.kill('SIGCONT');
    await expect.poll(async () => (await readiness(worker)).status, { timeout: 5_000 }).toBe('up');
    await worker.client.enqueue('job', {}, { id: 'after', queue: QUEUE });
    await expect.poll(() => done, { timeout: 6_000 }).toEqual(['after']);
  });

  it('does not answer while the event loop is blocked, and is up again after', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const process = await bench.worker();
    await client.enqueue('job', { blockMs: 2_000 }, { queue: QUEUE });
    await expect.poll(() => bench.ledger.count('start')).toBe(1);
    const begin = Date.now();
    // A probe with a time limit of its own sees this as down; nothing in the process could say so.
    await process.ask('ready');
    expect(Date.now() - begin).toBeGreaterThan(1_000);
    await expect.poll(() => process.ask('ready'), { timeout: 5_000 }).toMatchObject({ tasks: { status: 'up' } });
    await bench.drained();
    expect(bench.ledger.effects()).toEqual({ tasks: 1, effects: 1 });
  });

  it('is down with the reason while this worker is not allowed to fetch', async () => {
    const { bench, worker } = await startQuietWorker();
    await bench.redis.acl('SETUSER', 'default', '-xreadgroup');
    await expect.poll(async () => (await readiness(worker)).status, { timeout: 5_000 }).toBe('down');
  });
});

describe('a worker that may not fetch any more', () => {
  it('does not keep Redis busy', async () => {
    const { bench, proxy } = await startQuietWorker();
    await bench.redis.acl('SETUSER', 'default', '-xreadgroup');
    await sleep(1_000);
    let requests = 0;
    proxy.onRequest = () => {
      requests += 1;
      return 'pass';
    };
    await sleep(2_000);
    expect(requests / 2).toBeLessThanOrEqual(40);
  });

  it('says so, and works again when it may', async () => {
    const { bench, worker, done } = await startQuietWorker();
    await bench.redis.acl('SETUSER', 'default', '-xreadgroup');
    await expect
      .poll(() => worker.eventsOf('redis-error').map((event) => event.error.message), { timeout: 5_000 })
      .toContainEqual(expect.stringMatching(/NOPERM|permission|The user executing the script can't run/i));
    await bench.redis.acl('SETUSER', 'default', '+xreadgroup');
    await worker.client.enqueue('job', {}, { id: 'after', queue: QUEUE });
    await expect.poll(() => done, { timeout: 6_000 }).toEqual(['after']);
  });
});

it('notices a connection that went silent by itself, and takes the next task without a restart', async () => {
  const { proxy, worker, done } = await startQuietWorker();
  const [waiting] = proxy.waitingFor('blpop');
  waiting?.freeze();
  await worker.client.enqueue('job', {}, { id: 'after', queue: QUEUE });
  // A read that blocks for half a second is given up two seconds later.
  await expect.poll(() => done, { timeout: USUAL.block + 2_000 + 3_000 }).toEqual(['after']);
  expect((await worker.health.isLive('tasks')).tasks.status).toBe('up');
  await expect.poll(async () => (await readiness(worker)).status, { timeout: 5_000 }).toBe('up');
});

describe('the events of a worker', () => {
  it('tell of every hand-over of a task that ends its worker, and of its end as a dead letter', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const supervisor = new Supervisor(() => bench.worker());
    await client.enqueue('job', { deaths: 99 }, { id: 'killer', queue: QUEUE });
    await supervisor.run(1);

    await expect
      .poll(() => bench.deadLetters(), { timeout: 40_000 })
      .toMatchObject([{ id: 'killer', reason: 'crash-limit' }]);
    await bench.drained();
    const takeOvers = bench.ledger.of('reclaimed', 'killer');
    expect(takeOvers.map((note) => note.deliveryCount)).toEqual([2, 3, 4]);
    const victims = bench.ledger.of('start', 'killer').map(({ pid }) => pid);
    expect(takeOvers.map(({ previousOwner }) => Number(previousOwner?.split(':').at(-2)))).toEqual(victims);
    await expect.poll(() => bench.ledger.count('dead-letter', 'killer')).toBe(1);
    expect(bench.ledger.count('start', 'killer')).toBe(USUAL.crashLimit);
  });
});

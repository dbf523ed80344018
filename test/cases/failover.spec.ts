import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestRedis, type TestRedis } from '../support/redis-server.js';
import { Bench, many } from './support/bench.js';
import { sleep } from './support/case-app.js';
import { QUEUE } from './support/options.js';
import { Proxy } from './support/proxy.js';

interface Pair {
  readonly servers: readonly [TestRedis, TestRedis];
  readonly clients: readonly [Redis, Redis];
  readonly proxy: Proxy;
}

/** Two servers, the second a replica of the first, behind one stable address. */
async function startPair(): Promise<Pair> {
  // By default a primary waits five seconds for more replicas before it answers the first.
  const options = { extraArgs: ['--repl-diskless-sync-delay', '0'] };
  const servers = [await startTestRedis(options), await startTestRedis(options)] as const;
  const clients = [plainClient(servers[0]), plainClient(servers[1])] as const;
  onTestFinished(async () => {
    for (const client of clients) client.disconnect();
    await Promise.all(servers.map((server) => server.stop()));
  });
  await follow(clients[1], servers[0]);
  return { servers, clients, proxy: await Proxy.start(servers[0].url) };
}

function plainClient(server: TestRedis): Redis {
  const client = new Redis(server.url, { protocol: 2, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  return client;
}

async function follow(client: Redis, primary: TestRedis): Promise<void> {
  await client.replicaof('127.0.0.1', primary.port);
  await expect.poll(() => client.info('replication'), { timeout: 15_000 }).toMatch(/master_link_status:up/);
}

describe('a worker whose primary becomes a replica', () => {
  it('goes on with the new one after each switch, with nothing lost and no attempt counted', async () => {
    const { servers, clients, proxy } = await startPair();
    const bench = await Bench.open({ url: proxy.url });
    const attempts = new Set<number>();
    const done = new Set<string>();
    const { client } = await bench.app({
      words: { crashLimit: 20 },
      tasks: {
        job: async (_: unknown, ctx) => {
          attempts.add(ctx.attempt);
          await sleep(20);
          done.add(ctx.taskId);
        },
      },
    });
    let primary = 0;
    for (let round = 0; round < 3; round += 1) {
      await client.enqueueMany(many(150, {}, `r${round}-`));
      const before = done.size;
      await expect.poll(() => done.size).toBeGreaterThan(before);
      await clients[primary as 0 | 1].call('FAILOVER');
      primary = 1 - primary;
      await expect
        .poll(() => clients[primary as 0 | 1].info('replication'), { timeout: 10_000 })
        .toMatch(/role:master/);
      proxy.redirect((servers[primary as 0 | 1] as TestRedis).url);
      const seen = done.size;
      await expect.poll(() => done.size, { timeout: 5_000 }).toBeGreaterThan(seen);
    }

    await expect.poll(() => done.size, { timeout: 20_000 }).toBe(450);
    expect([...attempts]).toEqual([1]);
    await expect.poll(() => clients[primary as 0 | 1].xlen(bench.stream), { timeout: 5_000 }).toBe(0);
  });

  it('takes the next task soon after the primary died and the replica was promoted', async () => {
    const { servers, clients, proxy } = await startPair();
    const bench = await Bench.open({ url: proxy.url });
    const done: string[] = [];
    const { client, health } = await bench.app({ tasks: { job: (_: unknown, ctx) => done.push(ctx.taskId) } });
    let primary = 0;
    for (let round = 0; round < 2; round += 1) {
      await expect.poll(() => proxy.waitingFor('blpop').length, { timeout: 5_000 }).toBe(1);
      const dead = servers[primary as 0 | 1];
      await dead.kill('SIGKILL');
      await sleep(1_500);
      expect(await health.isReady('tasks')).toMatchObject({ tasks: { status: 'down' } });

      primary = 1 - primary;
      await clients[primary as 0 | 1].replicaof('NO', 'ONE');
      proxy.redirect(servers[primary as 0 | 1].url);
      const promotedAt = Date.now();
      await expect
        .poll(() => client.enqueue('job', {}, { id: `r${round}`, queue: QUEUE }).catch(() => undefined), {
          timeout: 5_000,
        })
        .toBeDefined();
      await expect.poll(() => done, { timeout: 5_000 }).toContain(`r${round}`);
      expect(Date.now() - promotedAt).toBeLessThan(5_000);
      await expect.poll(async () => (await health.isReady('tasks')).tasks.status, { timeout: 5_000 }).toBe('up');

      await dead.restart();
      await follow(clients[(1 - primary) as 0 | 1], servers[primary as 0 | 1]);
    }
    expect(done).toEqual(['r0', 'r1']);
  });
});

describe('an address that leads to the new primary, while old connections stay with the old one', () => {
  async function demote({ clients, servers, proxy }: Pair): Promise<void> {
    await clients[0].call('FAILOVER');
    await expect.poll(() => clients[1].info('replication'), { timeout: 10_000 }).toMatch(/role:master/);
    await expect.poll(() => clients[0].info('replication'), { timeout: 10_000 }).toMatch(/role:slave/);
    proxy.lead(servers[1].url);
  }

  function connectionTo({ proxy }: Pair, more: object = {}) {
    const { hostname, port } = new URL(proxy.url);
    return { connection: { options: { host: hostname, port: Number(port), connectionName: 'the-app', ...more } } };
  }

  async function left({ clients }: Pair): Promise<void> {
    const connections = async () => ((await clients[0].call('client', 'list')) as string).match(/name=the-app/g);
    await expect.poll(connections, { timeout: 8_000 }).toBeNull();
  }

  it.each([
    ['asks for the role', []],
    ['asks INFO where ROLE is not allowed', ['-role']],
  ])('no idle connection stays, and records are read from the new primary: it %s', async (_, rules) => {
    const pair = await startPair();
    for (const client of pair.clients)
      await client.call('acl', 'setuser', 'app', 'on', '>pw', '~*', '&*', '+@all', ...rules);
    const bench = await Bench.open({ url: pair.proxy.url });
    const login = { username: 'app', password: 'pw' };
    const { client } = await bench.app({ isProducer: true, options: connectionTo(pair, login) });
    await client.enqueue('job', {}, { id: 'old', queue: QUEUE });
    expect(await client.get({ queue: QUEUE, id: 'old' })).toMatchObject({ state: 'waiting' });

    await demote(pair);
    await left(pair);

    await client.enqueue('job', {}, { id: 'new', queue: QUEUE });
    expect(await client.get({ queue: QUEUE, id: 'new' })).toMatchObject({ state: 'waiting' });
    expect(await pair.clients[1].xlen(bench.stream)).toBe(2);
  });

  it('one connection that is refused as read-only takes all others with it, before anybody has asked', async () => {
    const pair = await startPair();
    // Nobody may ask for the role.
    for (const client of pair.clients) {
      await client.call('acl', 'setuser', 'app', 'on', '>pw', '~*', '&*', '+@all', '-role', '-info');
    }
    const bench = await Bench.open({ url: pair.proxy.url });
    const login = { username: 'app', password: 'pw' };
    const { client } = await bench.app({ isProducer: true, options: connectionTo(pair, login) });
    await client.enqueue('job', {}, { id: 'old', queue: QUEUE });
    await client.get({ queue: QUEUE, id: 'old' });

    await demote(pair);
    await client.enqueue('job', {}, { id: 'new', queue: QUEUE });

    await left(pair);
    expect(await client.get({ queue: QUEUE, id: 'new' })).toMatchObject({ state: 'waiting' });
  });
});

describe('a server that has forgotten the scripts', () => {
  it('is given them again, unnoticed by whoever sends and whoever runs', async () => {
    const server = await startTestRedis({ appendOnly: true, extraArgs: ['--appendfsync', 'always'] });
    onTestFinished(() => server.stop());
    const bench = await Bench.open({ url: server.url });
    const done: string[] = [];
    const { client, eventsOf, health } = await bench.app({
      tasks: { job: (_: unknown, ctx) => done.push(ctx.taskId) },
    });
    for (let round = 0; round < 10; round += 1) {
      const sent = many(20, {}, `r${round}-`).map(({ task, payload, options }) =>
        client.enqueue(task, payload, options),
      );
      await bench.redis.script('FLUSH');
      await Promise.all(sent);
    }
    await bench.drained();
    expect(done.length).toBe(200);
    expect(eventsOf('redis-error')).toEqual([]);

    await server.restart();
    await client.enqueue('job', {}, { id: 'after', queue: QUEUE });
    await expect.poll(() => done, { timeout: 8_000 }).toContain('after');
    await expect.poll(async () => (await health.isReady('tasks')).tasks.status, { timeout: 5_000 }).toBe('up');
    expect(done.length).toBe(201);
  });
});

import { Cluster, Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { openTaskStreams } from '../../libs/task-streams/src/admin/index.js';
import { InvalidNameError, UnsuitableServerError, type ConnectionOptions } from '../../libs/task-streams/src/index.js';
import { handlersOf, startCaseApp } from './support/case-app.js';
import { startTestCluster } from './support/cluster.js';

const PREFIX = 'cluster';
const QUEUES = ['q', 'a.b:c', 'ключ', 'another-queue'];

describe('a cluster of three', () => {
  it('does everything for queues in all of its slots, and keeps the keys of a queue together', async () => {
    const cluster = await startTestCluster();
    const runs: string[] = [];
    const handle = (_: unknown, ctx: { readonly queue: string; readonly attempt: number; readonly taskId: string }) => {
      runs.push(`${ctx.queue} ${ctx.taskId} ${ctx.attempt}`);
      if (ctx.taskId === 'dead' || ctx.attempt === 1) throw new Error('not yet');
      return ctx.queue;
    };
    const { client, letters, eventsOf, health } = await startCaseApp({
      url: '',
      prefix: PREFIX,
      words: { maxAttempts: 2 },
      options: { connection: cluster.connection },
      providers: QUEUES.map((queue) => handlersOf({ work: handle }, { queue })),
    });

    for (const queue of QUEUES) {
      await client.enqueue('work', { queue }, { id: 'good', queue });
      expect(await client.enqueue('work', { queue }, { id: 'good', queue })).toMatchObject({ duplicate: true });
      await client.enqueue('work', { queue }, { id: 'dead', queue, idempotencyKey: 'a key' });
      await client.enqueue('work', { queue }, { id: 'later', queue, delayMs: 100 });
    }

    for (const queue of QUEUES) {
      expect(await client.result({ queue, id: 'good' }, { timeoutMs: 15_000 })).toBe(queue);
      expect(await client.result({ queue, id: 'later' }, { timeoutMs: 15_000 })).toBe(queue);
      await expect.poll(() => letters.count(queue), { timeout: 15_000 }).toBe(1);
      expect((await letters.list(queue)).letters).toMatchObject([{ taskId: 'dead', reason: 'attempts-exhausted' }]);
      expect(await slotsOf(cluster.client, `${PREFIX}:{${queue}}:*`)).toHaveLength(1);
    }
    expect(runs.toSorted()).toEqual(
      QUEUES.flatMap((queue) =>
        ['good', 'dead', 'later'].flatMap((id) => [`${queue} ${id} 1`, `${queue} ${id} 2`]),
      ).toSorted(),
    );
    expect(await slotsOf(cluster.client, `${PREFIX}:*`)).not.toHaveLength(1);
    expect(eventsOf('redis-error')).toEqual([]);
    expect(await health.isReady('tasks')).toMatchObject({ tasks: { status: 'up' } });
  });
});

describe('one master of a cluster that may delete tasks', () => {
  it('fails the boot, whichever it is, and is found by an exam', async () => {
    const cluster = await startTestCluster();
    for (const { client } of cluster.masters) {
      await client.config('SET', 'maxmemory', '100mb');
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const admin = openTaskStreams({ connection: cluster.connection, prefix: PREFIX });
      onTestFinished(() => admin.close());

      const { findings } = await admin.examine(['q']);
      expect(findings.find(({ check }) => check === 'eviction')).toMatchObject({ verdict: 'bad' });
      expect(findings.find(({ check }) => check === 'scripts')).toMatchObject({ verdict: 'good' });
      await expect(
        startCaseApp({ url: '', prefix: PREFIX, options: { connection: cluster.connection } }),
      ).rejects.toThrow(UnsuitableServerError);
      await client.config('SET', 'maxmemory-policy', 'noeviction');
    }
    await startCaseApp({ url: '', prefix: PREFIX, options: { connection: cluster.connection } });
  });
});

describe('a client that puts something before every key', () => {
  it.each([
    ['a client of one server', (options: object) => new Redis(inject('redisUrl'), { ...options, keyPrefix: 'shop:' })],
    [
      'a client of a Cluster',
      (options: object) =>
        new Cluster([inject('redisUrl')], { redisOptions: options, keyPrefix: 'shop:', lazyConnect: true }),
    ],
    [
      'the nodes of a Cluster',
      (options: object) =>
        new Cluster([inject('redisUrl')], { redisOptions: { ...options, keyPrefix: 'shop:' }, lazyConnect: true }),
    ],
  ])('fails the boot: %s', async (_, create) => {
    const connection: ConnectionOptions = { createClient: (_role, options) => create({ ...options, protocol: 2 }) };

    await expect(startCaseApp({ url: '', prefix: PREFIX, options: { connection } })).rejects.toThrow(
      /Option connection\.createClient.*keyPrefix.*use the option prefix/,
    );
  });
});

describe.each(['{x}y', 'q{', 'q}', 'a queue', 'a\nqueue', ''])('a queue called %j', (queue) => {
  it('is refused when its handler is declared', () => {
    expect(() => handlersOf({ job: () => undefined }, { queue })).toThrow(InvalidNameError);
  });
});

async function slotsOf(
  client: Awaited<ReturnType<typeof startTestCluster>>['client'],
  pattern: string,
): Promise<number[]> {
  const lists = await Promise.all(client.nodes('master').map((node) => node.keys(pattern)));
  const slots = await Promise.all(lists.flat().map((key) => client.cluster('KEYSLOT', key)));
  return [...new Set(slots)];
}

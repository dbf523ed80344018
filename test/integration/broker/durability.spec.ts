import { describe, expect, it, onTestFinished } from 'vitest';

import { item, openBroker } from '../../support/broker/open-broker.js';
import { startTestRedis, type TestRedisOptions } from '../../support/redis-server.js';

async function brokerOn(options: TestRedisOptions) {
  const server = await startTestRedis(options);
  onTestFinished(() => server.stop());
  return { server, ...(await openBroker({ enqueueTimeoutMs: 2_000 }, server.url)) };
}

describe('durability of an enqueue', () => {
  it('is refused before anything is sent where the server keeps no append-only file', async () => {
    const { broker, state } = await openBroker();

    await expect(broker.inbox.append('q', [item('a')], 'fsync')).rejects.toMatchObject({
      code: 'TASK_STREAMS_DURABILITY_UNAVAILABLE',
    });
    expect((await state('q')).stream).toEqual([]);
  });

  it('is confirmed where every write is synced: by WAITAOF, or by the setting where there is no such command', async () => {
    const { broker, redis, server } = await brokerOn({ appendOnly: true, extraArgs: ['--appendfsync', 'always'] });

    const { replies, durability } = await broker.inbox.append('q', [item('a')], 'fsync');

    expect(replies).toMatchObject([{ kind: 'added' }]);
    const [hasCommand] = (await redis.call('COMMAND', 'INFO', 'WAITAOF')) as [unknown];
    expect(durability).toMatchObject({ level: 'fsync', confirmedBy: hasCommand ? 'WAITAOF' : 'appendfsync always' });
    await server.kill('SIGKILL');
    await server.restart();
    await expect.poll(() => broker.tasks.get('q', 'a').catch(() => undefined)).toMatchObject({ state: 'waiting' });
  });

  it('is confirmed by WAITAOF, or refused where the server has no such command', async () => {
    const { broker, redis } = await brokerOn({ appendOnly: true, extraArgs: ['--appendfsync', 'everysec'] });
    const [hasCommand] = (await redis.call('COMMAND', 'INFO', 'WAITAOF')) as [unknown];

    const sent = broker.inbox.append('q', [item('a')], 'fsync');

    if (hasCommand) await expect(sent).resolves.toMatchObject({ durability: { confirmedBy: 'WAITAOF' } });
    else await expect(sent).rejects.toMatchObject({ code: 'TASK_STREAMS_DURABILITY_UNAVAILABLE' });
  });

  it('says so when the replicas do not confirm, and that the task is in', async () => {
    const { broker, state } = await openBroker();

    await expect(broker.inbox.append('q', [item('a')], { replicas: 1, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'TASK_STREAMS_DURABILITY_NOT_CONFIRMED',
      taskIds: ['a'],
    });
    expect((await state('q')).stream).toEqual(['a']);
  });

  it('is confirmed by WAIT for a group of tasks at once', async () => {
    const primary = await startTestRedis({ extraArgs: ['--repl-diskless-sync-delay', '0'] });
    onTestFinished(() => primary.stop());
    const replica = await startTestRedis({ extraArgs: ['--replicaof', '127.0.0.1', `${primary.port}`] });
    onTestFinished(() => replica.stop());
    const { broker, redis } = await openBroker({}, primary.url);
    await expect.poll(() => redis.info('replication'), { timeout: 10_000 }).toMatch(/state=online/);

    const replies = await Promise.all(
      ['a', 'b', 'c'].map((id) => broker.inbox.append('q', [item(id)], { replicas: 1, timeoutMs: 2_000 })),
    );

    for (const { durability } of replies) expect(durability).toMatchObject({ confirmedBy: 'WAIT', replicas: 1 });
  });
});

describe('an enqueue without Redis', () => {
  it('ends within its deadline with the ids, and adds nothing later', async () => {
    const { broker, server } = await brokerOn({ appendOnly: true });
    await server.stop();
    const begin = Date.now();

    await expect(broker.inbox.append('q', [item('a')], 'memory')).rejects.toMatchObject({
      code: 'TASK_STREAMS_QUEUE_UNAVAILABLE',
      taskIds: ['a'],
    });
    expect(Date.now() - begin).toBeLessThan(2_500);
  });

  it('goes on by itself when Redis comes back in time', async () => {
    const { broker, server, state } = await brokerOn({ appendOnly: true });
    await broker.inbox.append('q', [item('a')], 'memory');
    await server.kill('SIGKILL');

    const sent = broker.inbox.append('q', [item('b')], 'memory');
    await server.restart();

    await expect(sent).resolves.toMatchObject({ replies: [{ kind: 'added' }] });
    expect((await state('q')).stream).toEqual(['a', 'b']);
  });

  it('says that Redis is full, and adds nothing', async () => {
    const { broker, redis, state } = await brokerOn({
      extraArgs: ['--maxmemory', '2mb', '--maxmemory-policy', 'noeviction'],
    });
    await redis.config('SET', 'maxmemory', '1');

    await expect(broker.inbox.append('q', [item('a')], 'memory')).rejects.toMatchObject({
      code: 'TASK_STREAMS_QUEUE_FULL',
    });
    expect((await state('q')).stream).toEqual([]);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import { RedisBroker } from '../../../libs/task-streams/src/redis/redis-broker.js';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import type { ConnectionOptions } from '../../../libs/task-streams/src/options/task-streams-options.js';
import { item, openBroker, type BrokerBench } from '../../support/broker/open-broker.js';
import { startTestRedis } from '../../support/redis-server.js';
import { ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

/** Has a worker wait for longer than a block, and then run a task with a retry. */
async function work({ broker }: BrokerBench): Promise<void> {
  let runs = 0;
  const executor = new ScriptedExecutor(async () => {
    runs += 1;
    if (runs === 1) throw new Error('not yet');
  });
  const worker = startWorker(broker, executor);
  await expect.poll(() => worker.pool.status().queues[0]?.sinceLastFetchMs ?? 0).toBeGreaterThan(100);
  await expect.poll(() => worker.pool.status().queues[0]?.sinceLastFetchMs ?? 0).toBeLessThan(50);
  await broker.inbox.append('q', [item('a')], 'memory');
  await expect.poll(async () => (await broker.tasks.get('q', 'a'))?.state).toBe('completed');
  expect(runs).toBe(2);
  expect(await broker.queues.inspect('q')).toMatchObject({ waiting: 0, active: 0 });
  expect(worker.count('redis-error')).toBe(0);
}

/** The address of the shared server, as options. */
function address(): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(inject('redisUrl'));
  return { host: hostname, port: Number(port) };
}

/** What suits a cache. */
const OF_A_CACHE = {
  commandTimeout: 50,
  stringNumbers: true,
  enableOfflineQueue: false,
  enableAutoPipelining: true,
  autoResendUnfulfilledCommands: false,
  blockingTimeout: 20,
  monitor: true,
  readOnly: true,
  replyMapping: 'resp3',
  protocol: 3,
  lazyConnect: false,
  maxRetriesPerRequest: null,
  retryStrategy: () => null,
  reconnectOnError: () => 2,
};

describe('options of a cache', () => {
  it.each(Object.keys(OF_A_CACHE).map((name) => [name as keyof typeof OF_A_CACHE] as const))(
    '%s does not reach a client',
    async (name) => {
      const options = { ...address(), [name]: OF_A_CACHE[name] };
      await work(await openBroker({ ...QUICK, connection: { options } }));
    },
  );

  it('do not reach it all at once, beside a URL', async () => {
    await work(await openBroker({ ...QUICK, connection: { url: inject('redisUrl'), options: OF_A_CACHE } }));
  });

  it.each([
    ['stringNumbers', { stringNumbers: true }],
    ['commandTimeout', { commandTimeout: 200 }],
    ['monitor', { monitor: true }],
  ])('%s is refused in a client of createClient', async (name, options) => {
    const createClient = ((_role, given) => new Redis({ ...address(), ...given, ...options })) as NonNullable<
      ConnectionOptions['createClient']
    >;
    const broker = new RedisBroker(resolveOptions({ connection: { createClient } }));
    onTestFinished(() => broker.server.close());
    const use = async () => (name === 'commandTimeout' ? broker.work.wait('q') : broker.server.check());
    await expect(use()).rejects.toMatchObject({
      code: 'TASK_STREAMS_INVALID_OPTION',
      message: expect.stringMatching(new RegExp(`createClient → ${name} .*Give the client the options`)),
    });
  });
});

describe('a unix socket', () => {
  it('is reached by a URL, with user, password and database', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'socket-'));
    const socket = path.join(folder, 'a b.sock');
    const server = await startTestRedis({ extraArgs: ['--unixsocket', socket] });
    onTestFinished(async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    });
    const admin = new Redis(server.url, { protocol: 2, db: 3 });
    onTestFinished(() => admin.disconnect());
    await admin.acl('SETUSER', 'me', 'on', '>p@ss/w%', '~*', '+@all');
    const place = socket.replaceAll(' ', '%20');
    const bench = await openBroker({ ...QUICK, connection: `redis+unix://me:p%40ss%2Fw%25@${place}?db=3` }, server.url);
    await work(bench);
    expect(await admin.exists(`${bench.prefix}:{q}:meta`)).toBe(1);

    const { broker } = await openBroker({ connection: `unix://me:wrong@${place}` }, server.url);
    await expect(broker.server.check()).rejects.toThrow(/WRONGPASS/);
  });
});

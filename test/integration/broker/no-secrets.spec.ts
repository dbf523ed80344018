import { inspect } from 'node:util';
import type { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import { classifyRedisError } from '../../../libs/task-streams/src/policy/redis-error.js';
import { TaskCatalog } from '../../../libs/task-streams/src/producer/task-catalog.js';
import { TaskClient } from '../../../libs/task-streams/src/producer/task-client.js';
import { ChaosProxy } from '../../chaos/harness/chaos-proxy.js';
import { item, openBroker } from '../../support/broker/open-broker.js';
import { startTestRedis } from '../../support/redis-server.js';
import { ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

const PASSWORD = 'hush-password';
const PAYLOAD = { iban: 'hush-payload' };

/** An error as it looks in a log that leaves nothing out. */
function everythingOf(error: unknown): string {
  return inspect(error, { depth: 10, showHidden: true });
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const failure: unknown = await work.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(everythingOf(failure)).not.toContain('hush');
  return failure as Error;
}

async function openWith(user: string, options: object = {}, prepare?: (redis: Redis) => Promise<unknown>) {
  const server = await startTestRedis();
  onTestFinished(() => server.stop());
  const { port } = server;
  const bench = await openBroker(
    { connection: { url: `redis://${user}:${PASSWORD}@127.0.0.1:${port}` }, ...options },
    server.url,
  );
  await prepare?.(bench.redis);
  return { ...bench, server, port };
}

describe('no error shows a password or a payload', () => {
  it('when the password is wrong: thrown at once, with the reply and what to do', async () => {
    const { broker } = await openWith('nobody', { enqueueTimeoutMs: 60_000 });

    const failure = await failureOf(broker.inbox.append('q', [item('a', PAYLOAD)], 'memory'));

    expect(failure.message).toMatch(/WRONGPASS.*Correct the user name and the password/);
    expect((await failureOf(broker.tasks.get('q', 'a'))).message).toMatch(/WRONGPASS/);
    expect((await failureOf(broker.server.check())).message).toMatch(/WRONGPASS/);
  });

  it('when a password is missing', async () => {
    const { redis, port } = await openWith('nobody');
    await redis.config('SET', 'requirepass', PASSWORD);
    const { broker } = await openBroker(
      { connection: { url: `redis://127.0.0.1:${port}` } },
      `redis://127.0.0.1:${port}`,
    );

    expect((await failureOf(broker.inbox.append('q', [item('a', PAYLOAD)], 'memory'))).message).toMatch(
      /NOAUTH.*password/,
    );
  });

  it('when a command is not allowed', async () => {
    const { broker } = await openWith('mail', {}, (redis) =>
      redis.acl('SETUSER', 'mail', 'on', `>${PASSWORD}`, '~*', '+@all', '-evalsha', '-eval'),
    );

    expect((await failureOf(broker.inbox.append('q', [item('a', PAYLOAD)], 'memory'))).message).toMatch(
      /NOPERM.*ACL SETUSER/,
    );
  });

  it('when the server repeats the arguments of a command that it does not know', async () => {
    const proxy = await new ChaosProxy(Number(new URL(inject('redisUrl')).port)).listen();
    onTestFinished(() => proxy.close());
    const error = `ERR unknown command 'EVALSHA', with args beginning with: '1f' '1' 'ts:{q}:stream' 'hush-payload'`;
    proxy.judge = ({ name }) => (name === 'EVALSHA' ? { error } : 'pass');
    const { broker } = await openBroker({ connection: { url: proxy.url } });

    const failure = await failureOf(broker.inbox.append('q', [item('a', PAYLOAD)], 'memory'));

    expect(failure.message).toContain("unknown command 'EVALSHA'");
  });

  it('when there is no server: it says where, for how long and why', async () => {
    const { broker, port, server } = await openWith('mail', { enqueueTimeoutMs: 300 });
    await server.kill('SIGKILL');

    const failure = await failureOf(broker.inbox.append('q', [item('a', PAYLOAD)], 'memory'));

    expect(failure.message).toMatch(
      new RegExp(`no connection to 127.0.0.1:${port} within (29\\d|300) ms \\(connect ECONNREFUSED`),
    );
    expect((await failureOf(broker.tasks.get('q', 'a'))).message).toContain(`127.0.0.1:${port}`);
  });

  it('when a payload cannot be sent', async () => {
    const { broker } = await openBroker();
    const { options } = broker.session;
    const client = new TaskClient({ broker, options, catalog: new TaskCatalog() });
    const enqueue = (payload: unknown) => client.enqueue('job', payload, { queue: 'q' });

    await failureOf(enqueue({ ...PAYLOAD, amount: 1n }));
    await failureOf(enqueue('hush'.repeat(300_000)));
    await enqueue({ n: 1 }).then(({ id }) => failureOf(client.enqueue('job', PAYLOAD, { queue: 'q', id })));
  });

  it('in what a worker tells of its trouble', async () => {
    const { broker } = await openWith('nobody', QUICK);
    const worker = startWorker(broker, new ScriptedExecutor());

    await expect.poll(() => worker.count('redis-error')).toBeGreaterThan(0);

    expect(everythingOf(worker.events)).not.toContain('hush');
    const [trouble] = worker.pool.status().queues[0]?.troubles ?? [];
    expect(classifyRedisError(trouble?.error)).toBe('config');
    expect(everythingOf(worker.pool.status())).not.toContain('hush');
  });
});

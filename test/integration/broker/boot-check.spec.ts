import { describe, expect, inject, it, onTestFinished } from 'vitest';

import type { ServerReport } from '../../../libs/task-streams/src/contracts/server-store.interface.js';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { TestBroker } from '../../support/broker/test-broker.js';
import { commandsOfRole } from '../../../libs/task-streams/src/redis/server/acl-roles.js';
import { sampleOf } from '../../../libs/task-streams/src/redis/server/required-commands.js';
import { readServerReport } from '../../../libs/task-streams/src/redis/server/server-report.js';
import { item, openBroker, type BrokerBench } from '../../support/broker/open-broker.js';
import { startTestRedis } from '../../support/redis-server.js';
import { ScriptedExecutor } from '../../support/worker/scripted-executor.js';
import { QUICK, startWorker } from '../../support/worker/start-worker.js';

async function openOwn(
  options: object = {},
  extraArgs: readonly string[] = [],
): Promise<BrokerBench & { url: string }> {
  const server = await startTestRedis({ extraArgs });
  onTestFinished(() => server.stop());
  return { ...(await openBroker(options, server.url)), url: server.url };
}

/** A broker of a user with these rights. */
async function openAs(rules: readonly string[]): Promise<BrokerBench & { readonly worker: TestBroker }> {
  const bench = await openOwn();
  await bench.redis.acl('SETUSER', 'mail', 'on', '>pw', ...rules);
  const { port } = new URL(bench.url);
  return { ...bench, worker: bench.another({ connection: { url: `redis://mail:pw@127.0.0.1:${port}` } }) };
}

/** A broker that believes this about its server. */
function brokerOf(report: Partial<ServerReport>): TestBroker {
  const options = resolveOptions({ connection: { url: inject('redisUrl') } });
  const broker = new TestBroker(options, async (client) => ({ ...(await readServerReport(client)), ...report }));
  onTestFinished(() => broker.server.close());
  return broker;
}

describe('the version of the server', () => {
  it.each([
    ['redis', '6.2.14'],
    ['valkey', '7.2.5'],
  ] as const)('refuses %s %s and says what it needs', async (kind, version) => {
    await expect(brokerOf({ kind, version }).server.check()).rejects.toMatchObject({
      code: 'TASK_STREAMS_UNSUITABLE_SERVER',
      message: `The server is ${kind} ${version}; nestjs-task-streams needs Redis 7.0 or Valkey 8.0, or newer. Upgrade the server, or connect to another.`,
    });
  });

  it.each([
    ['redis', '7.0.0'],
    ['valkey', '8.0.0'],
    ['redis', 'unknown'],
  ] as const)('takes %s %s', async (kind, version) => {
    await expect(brokerOf({ kind, version }).server.check()).resolves.toMatchObject({ version });
  });
});

describe('the eviction policy', () => {
  const EVICTING = ['--maxmemory-policy', 'volatile-lru', '--maxmemory', '50mb'];

  it('refuses a server that may delete tasks, and names the policy and the command', async () => {
    const { broker } = await openOwn({}, EVICTING);
    await expect(broker.server.check()).rejects.toMatchObject({
      code: 'TASK_STREAMS_UNSUITABLE_SERVER',
      message: expect.stringMatching(/volatile-lru.*CONFIG SET maxmemory-policy noeviction.*allowEviction/),
    });
  });

  it('takes it where it is told to', async () => {
    const { broker } = await openOwn({ allowEviction: true }, EVICTING);
    await expect(broker.server.check()).resolves.toMatchObject({
      evictionPolicy: 'volatile-lru',
      maxMemoryBytes: 52_428_800,
    });
  });

  it('does not mind a policy without a limit', async () => {
    const { broker } = await openOwn({}, EVICTING.slice(0, 2));
    await expect(broker.server.check()).resolves.toMatchObject({ maxMemoryBytes: 0 });
  });
});

describe('the rights of the user', () => {
  it('has a sample of every command the scripts call, and none is refused by its form', async () => {
    const { broker, redis } = await openBroker();
    const samples = commandsOfRole('worker').required.map((name) =>
      sampleOf(name, broker.session.keys('q'), 'ts:queues'),
    );
    expect(samples.length).toBeGreaterThan(25);
    const answers = await Promise.all(samples.map((sample) => redis.call('acl', 'dryrun', 'default', ...sample)));
    expect(new Set(answers)).toEqual(new Set(['OK']));
  });

  it('refuses a user who may not do what a worker does, with every missing command', async () => {
    const { worker } = await openAs(['~*', '+@all', '-xautoclaim', '-xgroup|create', '-evalsha']);
    await expect(worker.server.check(['q'])).rejects.toMatchObject({
      code: 'TASK_STREAMS_UNSUITABLE_SERVER',
      message: expect.stringContaining(
        'may not run evalsha, xautoclaim, xgroup|create, as a worker does. Run ACL SETUSER mail +evalsha +xautoclaim +xgroup|create, then',
      ),
    });
  });

  it('asks less of one that only enqueues', async () => {
    const { worker } = await openAs(['~*', '+@all', '-xautoclaim']);
    await expect(worker.server.check()).resolves.toMatchObject({ arePermissionsChecked: true });
  });

  it('refuses a user without the keys of one of the queues, or without their list', async () => {
    const { worker, prefix, redis } = await openAs(['+@all']);
    const line = `ACL SETUSER mail ~${prefix}:{a}:* ~${prefix}:{b}:* ~${prefix}:queues, then`;
    for (const rules of [[], [`~${prefix}:{a}:*`, `~${prefix}:queues`], [`~${prefix}:{a}:*`, `~${prefix}:{b}:*`]]) {
      await redis.acl('SETUSER', 'mail', 'resetkeys', ...rules);
      await expect(worker.server.check(['a', 'b'])).rejects.toMatchObject({
        message: expect.stringMatching(/may not use the keys .*\{a\}:\*, .*\{b\}:\*, .*:queues, as a worker does/),
      });
      await expect(worker.server.check(['a', 'b'])).rejects.toThrow(line);
    }
    await redis.acl('SETUSER', 'mail', `~${prefix}:{a}:*`, `~${prefix}:{b}:*`, `~${prefix}:queues`);
    await expect(worker.server.check(['a', 'b'])).resolves.toMatchObject({ arePermissionsChecked: true, warnings: [] });
  });

  it('refuses a producer without keys; its queues are not known, so it needs their list', async () => {
    const { worker: producer, prefix, redis } = await openAs(['+@all']);
    const refused = expect.stringContaining(
      `may not use the keys ${prefix}:* (at the least ${prefix}:queues and, of each of its queues, ${prefix}:{<queue>}:*), ` +
        `as a producer does. Run ACL SETUSER mail ~${prefix}:*, then start again.`,
    );
    await expect(producer.server.check()).rejects.toMatchObject({ message: refused });
    await redis.acl('SETUSER', 'mail', `~${prefix}:{q}:*`);
    await expect(producer.server.check()).rejects.toMatchObject({ message: refused });
    await redis.acl('SETUSER', 'mail', `~${prefix}:queues`);
    await expect(producer.server.check()).resolves.toMatchObject({ arePermissionsChecked: true });
    await producer.inbox.append('q', [item('a')], 'memory');
  });

  it.each([
    ['who may only ask', ['+info', '+acl|whoami', '+acl|dryrun']],
    ['who may do nothing but use every key', ['~*', '+acl|whoami', '+acl|dryrun']],
    ['who may do nothing at all', []],
    ['who may not ask', ['+info', '+command']],
  ])('tells a user %s in one round of a line that suffices', async (_, rules) => {
    const { worker, redis } = await openAs(rules);
    for (const queues of [[], ['q']]) {
      await redis.acl('SETUSER', 'mail', 'resetkeys', '-@all', ...rules);
      const failure: unknown = await worker.server.check(queues).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ code: 'TASK_STREAMS_UNSUITABLE_SERVER' });
      const line = /ACL SETUSER mail (.*), then/.exec((failure as Error).message)?.[1] ?? '';
      const hasAll = rules.includes('~*');
      if (hasAll) expect((failure as Error).message).toMatch(/without the ~ where the user has ~\* already/);
      await redis.acl('SETUSER', 'mail', ...line.split(' ').filter((rule) => !hasAll || !rule.startsWith('~')));
      await expect(worker.server.check(queues)).resolves.toMatchObject({ arePermissionsChecked: true, warnings: [] });
    }
    await worker.inbox.append('q', [item('a')], 'memory');
    await worker.work.ensure('q');
    expect(await worker.read('q', 1)).toHaveLength(1);
  });

  it('warns of what has a way around it', async () => {
    const { worker } = await openAs(['~*', '+@all', '-wait', '-client']);
    const { warnings } = await worker.server.check(['q']);
    expect(warnings).toEqual([
      expect.stringMatching(
        /may not run client\|id, client\|unblock, wait, so a stop or a pause drops .* cannot be confirmed\. Run ACL SETUSER mail \+client/,
      ),
    ]);
  });

  it('names the command, or the key, of a refusal that comes later', async () => {
    const { worker, prefix, redis } = await openAs(['~*', '+@all']);
    await redis.acl('SETUSER', 'mail', 'resetkeys', '-lrange', `~${prefix}:{q}:*`);
    await expect(worker.queues.list(1)).rejects.toThrow(/NOPERM.*\(zrange of .*:queues\).*docs\/security\.md/);
    await expect(worker.queues.inspect('other')).rejects.toThrow(/NOPERM.*\(eval(sha)? of .*:\{other\}:\*\)/);
    await expect(worker.tasks.readLog('q', 'a')).rejects.toThrow(/'lrange' command.*docs\/security\.md/);
  });

  it('lets a user pass who may ask nothing about the server', async () => {
    const { worker } = await openAs(['~*', '+@all', '-acl', '-config', '-command']);
    await expect(worker.server.check(['q'])).resolves.toMatchObject({ arePermissionsChecked: false, capabilities: [] });
  });
});

describe('the format of a queue', () => {
  it('is marked by the first worker', async () => {
    const { broker, redis, prefix } = await openBroker();
    await broker.work.ensure('q');
    await broker.work.ensure('q');
    expect(await redis.hgetall(`${prefix}:{q}:meta`)).toEqual({ v: '2' });
  });

  it('fails the boot where only a newer release knows it', async () => {
    const { broker, redis, prefix } = await openBroker();
    await redis.hset(`${prefix}:{b}:meta`, 'v', '3');
    await expect(broker.server.check(['a', 'b'])).rejects.toMatchObject({
      code: 'TASK_STREAMS_UNSUITABLE_SERVER',
      message: expect.stringMatching(/Queue "b" is kept in format 3.*formats 2 to 2.*Update/),
    });
    await expect(broker.server.check(['a'])).resolves.toBeDefined();
  });

  it('is refused where it is from before the first release, at boot and by a worker that runs', async () => {
    const { broker, redis, prefix } = await openBroker();
    await redis.hset(`${prefix}:{b}:meta`, 'v', '1');
    await expect(broker.server.check(['b'])).rejects.toMatchObject({
      code: 'TASK_STREAMS_UNSUITABLE_SERVER',
      message: expect.stringMatching(/Queue "b" is kept in format 1.*formats 2 to 2.*empty the queue/),
    });
    await expect(broker.work.ensure('b')).rejects.toThrow(/OLDERFORMAT.*format 1/);
    expect(await redis.hgetall(`${prefix}:{b}:meta`)).toEqual({ v: '1' });
  });

  it('is not touched by a worker that does not know it', async () => {
    const { broker, redis, prefix } = await openBroker(QUICK);
    await redis.hset(`${prefix}:{q}:meta`, 'v', '3');
    await broker.inbox.append('q', [item('a')], 'memory');
    const executor = new ScriptedExecutor();
    const worker = startWorker(broker, executor);

    const fetchTrouble = () => worker.pool.status().queues[0]?.troubles.find(({ operation }) => operation === 'fetch');
    await expect.poll(() => fetchTrouble()?.error.message).toMatch(/NEWERFORMAT.*format 3/);

    expect(executor.started).toEqual([]);
    expect(await redis.hgetall(`${prefix}:{q}:meta`)).toEqual({ v: '3' });
    expect(await redis.xinfo('GROUPS', `${prefix}:{q}:stream`)).toEqual([]);
  });
});

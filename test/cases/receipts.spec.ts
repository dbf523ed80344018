import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AppendBatchReply, Durability } from '../../libs/task-streams/src/contracts/inbox-store.interface.js';
import { resolveOptions } from '../../libs/task-streams/src/options/resolve-options.js';
import { TestBroker } from '../support/broker/test-broker.js';
import { readServerReport } from '../../libs/task-streams/src/redis/server/server-report.js';
import type { ServerDetector } from '../../libs/task-streams/src/redis/connection/redis-session.js';
import { item } from '../support/broker/open-broker.js';
import { completion, settlement } from '../support/broker/settlements.js';
import { startTestRedis, type TestRedis } from '../support/redis-server.js';
import { Proxy } from './support/proxy.js';

const ONE_REPLICA = { replicas: 1, timeoutMs: 500 } as const;

interface Line {
  readonly server: TestRedis;
  readonly client: Redis;
}

async function start(following?: string, extraArgs: readonly string[] = []): Promise<Line> {
  const port = following === undefined ? undefined : new URL(following).port;
  const replicaArgs = port === undefined ? [] : ['--replicaof', '127.0.0.1', port];
  const server = await startTestRedis({ extraArgs: ['--repl-diskless-sync-delay', '0', ...replicaArgs, ...extraArgs] });
  const client = new Redis(server.url, { protocol: 2, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  if (port !== undefined) {
    await expect.poll(() => client.info('replication'), { timeout: 15_000 }).toMatch(/master_link_status:up/);
  }
  return { server, client };
}

function open(url: string, detect?: ServerDetector): { readonly broker: TestBroker; readonly prefix: string } {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const broker = new TestBroker(resolveOptions({ connection: { url }, prefix, enqueueTimeoutMs: 4_000 }), detect);
  onTestFinished(() => broker.server.close());
  return { broker, prefix };
}

/** The receipt, or the code of the error. */
function outcome(broker: TestBroker, id: string, durability: Durability): Promise<AppendBatchReply | string> {
  return broker.inbox.append('q', [item(id, { id })], durability).catch((error: { code: string }) => error.code);
}

/**
 * The connection ends with the answer to the task `one`: what was sent in one group with it is never answered.
 */
function cutAfterAnswerTo(proxy: Proxy, id: string, onCut: () => void): void {
  proxy.onRequest = (request, link) => {
    if (request.includes(id)) {
      proxy.onRequest = () => 'pass';
      proxy.onReply = (reply, from) => {
        if (from !== link) return 'pass';
        proxy.onReply = () => 'pass';
        onCut();
        // One bulk string: `$15\r\n<entry id>\r\n`.
        return { lastBytes: reply.indexOf('\r\n', reply.indexOf('\r\n') + 2) + 2 };
      };
    }
    return 'pass';
  };
}

async function cutBetweenTwoAnswers(isFailover: boolean) {
  const primary = await start();
  const link = await Proxy.start(primary.server.url);
  const replica = await start(link.url);
  await start(replica.server.url);
  const proxy = await Proxy.start(primary.server.url);
  const { broker, prefix } = open(proxy.url);
  expect(await outcome(broker, 'warm', ONE_REPLICA)).toMatchObject({ durability: { replicas: 1 } });
  link.freeze();
  let isCut = false;
  cutAfterAnswerTo(proxy, 'one', () => {
    isCut = true;
    if (!isFailover) return;
    proxy.lead(replica.server.url);
    void replica.client.replicaof('NO', 'ONE');
  });
  // The wait of the first one is on, so the others come together.
  const ahead = outcome(broker, 'ahead', { ...ONE_REPLICA });
  await expect.poll(() => proxy.waitingFor('wait')).toHaveLength(1);
  const sent = [ahead, outcome(broker, 'one', ONE_REPLICA), outcome(broker, 'two', ONE_REPLICA)];
  const receipts = await Promise.all(sent);
  expect(isCut).toBe(true);
  return { receipts, replica, prefix };
}

describe('a connection that breaks between two answers of a group', () => {
  it('confirms nothing where the replica of the same primary lags', async () => {
    const { receipts } = await cutBetweenTwoAnswers(false);

    expect(receipts).toEqual(Array(3).fill('TASK_STREAMS_DURABILITY_NOT_CONFIRMED'));
  });

  it('confirms only what the promoted replica has, and its own replica', async () => {
    const { receipts, replica, prefix } = await cutBetweenTwoAnswers(true);

    const [ahead, one, two] = receipts;
    expect(ahead).toBe('TASK_STREAMS_DURABILITY_NOT_CONFIRMED');
    // They were sent again, and are told as what they are: no duplicates.
    for (const receipt of [one, two]) {
      expect(receipt).toMatchObject({ replies: [{ kind: 'added' }], durability: { confirmedBy: 'WAIT', replicas: 1 } });
    }
    expect(await replica.client.exists(`${prefix}:{q}:t:one`, `${prefix}:{q}:t:two`)).toBe(2);
  });
});

describe('a task that was enqueued and run before', () => {
  it('is confirmed anew by another process, where the replica follows and only there', async () => {
    const primary = await start();
    const link = await Proxy.start(primary.server.url);
    await start(link.url);
    const { broker, prefix } = open(primary.server.url);
    await broker.inbox.append('q', [item('a', { id: 'a' })], 'memory');
    await broker.work.ensure('q');
    const [delivery] = await broker.read('q', 1);
    if (!delivery) throw new Error('nothing was delivered');
    await broker.settle('q', [settlement(delivery, completion())]);
    const another = () => {
      const late = new TestBroker(resolveOptions({ connection: { url: primary.server.url }, prefix }));
      onTestFinished(() => late.server.close());
      return outcome(late, 'a', ONE_REPLICA);
    };

    expect(await another()).toMatchObject({
      replies: [{ kind: 'duplicate', state: 'completed' }],
      durability: { replicas: 1 },
    });
    link.freeze();
    expect(await another()).toBe('TASK_STREAMS_DURABILITY_NOT_CONFIRMED');
  });
});

describe('a primary that is told to follow while a task waits for its replicas', () => {
  it('does not confirm: the task is confirmed by the new primary, or by nobody', async () => {
    const primary = await start();
    const replica = await start(primary.server.url);
    const proxy = await Proxy.start(primary.server.url);
    const { broker, prefix } = open(proxy.url);

    const sent = outcome(broker, 'a', { replicas: 2, timeoutMs: 2_000 });
    await expect.poll(() => proxy.waitingFor('wait')).toHaveLength(1);
    await primary.client.call('FAILOVER');
    await expect.poll(() => replica.client.info('replication')).toMatch(/role:master/);
    proxy.redirect(replica.server.url);

    expect(await sent).toBe('TASK_STREAMS_DURABILITY_NOT_CONFIRMED');
    expect(await replica.client.exists(`${prefix}:{q}:t:a`)).toBe(1);
  });
});

describe('a server without WAITAOF whose appendfsync is changed', () => {
  it('confirms nothing that was written around the change', async () => {
    const { server, client } = await start(undefined, ['--appendonly', 'yes', '--appendfsync', 'always']);
    // After the first look at the setting, and before the task is written.
    const { broker } = open(server.url, async (asked) => {
      const report = await readServerReport(asked);
      await client.config('SET', 'appendfsync', 'everysec');
      return { ...report, capabilities: [] };
    });

    expect(await outcome(broker, 'a', 'fsync')).toBe('TASK_STREAMS_DURABILITY_NOT_CONFIRMED');
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { findRedisServer } from '../../../scripts/redis/index.mjs';
import { startTestRedis, type TestRedis } from '../../support/redis-server.js';

const NAME = 'main';
const SENTINELS = 3;
const REPLICAS = 2;

/** A primary, its replicas, and the Sentinels that watch them, on the loopback interface. */
export interface SentinelSet {
  readonly primary: TestRedis;
  /** The primary that the Sentinels name now, with a plain client of it. */
  current(): Promise<{ readonly port: number; readonly client: Redis }>;
  /** A planned fail-over, by one of the Sentinels; resolves when all of them name another primary. */
  failOver(): Promise<void>;
  /** Resolves when all Sentinels name another primary than the first. */
  switched(): Promise<void>;
  /** Stops the Sentinel that clients ask when they connect again, and leaves it out of all that is said here. */
  freezeNextSentinel(): Promise<void>;
  /** The connections of a name at a server. */
  connectionsAt(server: TestRedis, name: string): Promise<string[]>;
  /** What an application is told of them. */
  readonly connection: Readonly<Record<string, unknown>>;
}

/** @param extraArgs More arguments of the servers, but not of the Sentinels. */
export async function startSentinelSet(extraArgs: readonly string[] = []): Promise<SentinelSet> {
  const own = ['--repl-diskless-sync-delay', '0', ...extraArgs];
  const primary = await start(own);
  const replicaArgs = [...own, '--replicaof', `127.0.0.1 ${primary.port}`];
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => start(replicaArgs)));
  for (const replica of replicas) {
    const client = plainClient(replica.port);
    await expect.poll(() => client.info('replication'), { timeout: 15_000 }).toMatch(/master_link_status:up/);
  }
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => startSentinel(primary.port)));
  const watchers = sentinels.map(({ port }) => plainClient(port));
  const ready = `status=ok,address=127.0.0.1:${primary.port},slaves=${REPLICAS},sentinels=${SENTINELS}`;
  for (const watcher of watchers) {
    await expect.poll(() => watcher.info('sentinel'), { timeout: 15_000 }).toContain(ready);
  }
  const named = () => Promise.all(watchers.map(portNamedBy));
  const switched = async () => {
    await expect.poll(named, { timeout: 15_000, interval: 50 }).not.toContain(primary.port);
  };
  return {
    primary,
    switched,
    current: async () => {
      const port = await portNamedBy(watchers.at(-1) as Redis);
      return { port, client: plainClient(port) };
    },
    failOver: async () => {
      await watchers.at(-1)?.call('sentinel', 'failover', NAME);
      await switched();
    },
    freezeNextSentinel: async () => {
      // The first one has answered already; a client goes on with the one after it.
      watchers.splice(1, 1);
      await sentinels[1]?.kill('SIGSTOP');
    },
    connectionsAt: async (server, name) => {
      const list = (await plainClient(server.port).call('client', 'list')) as string;
      return list.split('\n').filter((line) => line.includes(` name=${name} `));
    },
    connection: { sentinels: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })), name: NAME },
  };
}

async function portNamedBy(sentinel: Redis): Promise<number> {
  const [, port] = (await sentinel.call('sentinel', 'get-master-addr-by-name', NAME)) as [string, string];
  return Number(port);
}

async function start(extraArgs: readonly string[]): Promise<TestRedis> {
  const server = await startTestRedis({ extraArgs });
  onTestFinished(() => server.stop());
  return server;
}

/** A Sentinel keeps what it learns in its configuration, so it must have a file. */
async function startSentinel(primaryPort: number): Promise<TestRedis> {
  const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-sentinel-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'sentinel.conf');
  const lines = [
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 5000`,
  ];
  await writeFile(file, lines.join('\n'));
  const server = await findRedisServer();
  const sentinel = await startTestRedis({ server: { ...server, args: [...server.args, file, '--sentinel'] } });
  onTestFinished(() => sentinel.stop());
  return sentinel;
}

function plainClient(port: number): Redis {
  const client = new Redis({ port, protocol: 2, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

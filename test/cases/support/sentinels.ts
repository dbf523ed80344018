import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import type { TestRedis } from '../../support/redis-server.js';
import { SentinelServers } from '../../support/topologies/sentinels.js';
import { TEST_GROUNDS } from './test-grounds.js';

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
  const set = await SentinelServers.start(TEST_GROUNDS, { replicas: REPLICAS, sentinels: SENTINELS, extraArgs });
  const [primary] = set.servers as [TestRedis];
  let asked = set.sentinels;
  const switched = () => set.switchedFrom(primary, asked);
  return {
    primary,
    switched,
    current: async () => {
      const { port } = await set.current();
      return { port, client: plainClient(port) };
    },
    failOver: async () => {
      await set.beginFailOver();
      await switched();
    },
    freezeNextSentinel: async () => {
      // The first one has answered already; a client goes on with the one after it.
      asked = set.sentinels.filter((_, i) => i !== 1);
      await set.sentinels[1]?.kill('SIGSTOP');
    },
    connectionsAt: async (server, name) => {
      const list = (await plainClient(server.port).call('client', 'list')) as string;
      return list.split('\n').filter((line) => line.includes(` name=${name} `));
    },
    connection: set.connection,
  };
}

function plainClient(port: number): Redis {
  const client = new Redis({ port, protocol: 2, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

import { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { startTestRedis, type TestRedis } from '../../support/redis-server.js';

const SLOTS = 16_384;
const NODES = 3;

export interface TestCluster {
  readonly nodes: readonly TestRedis[];
  /** A client of the whole cluster. */
  readonly client: Cluster;
  /** Makes a client of the whole cluster, with the options the library gives for it. */
  createClient(options?: Readonly<Record<string, unknown>>): Cluster;
}

/** Three masters on the loopback interface that share all slots. */
export async function startTestCluster(): Promise<TestCluster> {
  const nodes = await Promise.all(
    Array.from({ length: NODES }, () =>
      startTestRedis({ extraArgs: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'] }),
    ),
  );
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });
  await join(nodes);
  const createClient = (options: Readonly<Record<string, unknown>> = {}): Cluster =>
    new Cluster(
      nodes.map((node) => ({ host: '127.0.0.1', port: node.port })),
      { redisOptions: { protocol: 2, ...options }, lazyConnect: options['lazyConnect'] === true },
    );
  const client = createClient();
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return { nodes, client, createClient };
}

async function join(nodes: readonly TestRedis[]): Promise<void> {
  const clients = nodes.map((node) => new Redis(node.url, { protocol: 2 }));
  try {
    const share = Math.ceil(SLOTS / nodes.length);
    for (const [i, client] of clients.entries()) {
      await client.call('CLUSTER', 'ADDSLOTSRANGE', i * share, Math.min((i + 1) * share, SLOTS) - 1);
    }
    for (const node of nodes.slice(1)) await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', node.port);
    for (const client of clients) {
      await expect.poll(() => client.call('CLUSTER', 'INFO'), { timeout: 20_000 }).toMatch(/cluster_state:ok/);
      await expect
        .poll(async () => ((await client.call('CLUSTER', 'SLOTS')) as unknown[]).length, { timeout: 20_000 })
        .toBe(nodes.length);
    }
  } finally {
    for (const client of clients) client.disconnect();
  }
}

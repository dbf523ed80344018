import { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import type { ConnectionOptions } from '../../../libs/task-streams/src/index.js';
import { startTestRedis, type TestRedis } from '../../support/redis-server.js';

const SLOTS = 16_384;
const MASTERS = 3;
const NODE_TIMEOUT_MS = 2_000;

/** One server, and a plain client to it. */
export interface TestNode {
  readonly server: TestRedis;
  readonly client: Redis;
  readonly id: string;
}

export interface TestCluster {
  /** Three masters that share all slots. */
  readonly masters: readonly TestNode[];
  /** One for each master, in the same order; none unless they were asked for. */
  readonly replicas: readonly TestNode[];
  /** A client of the whole cluster. */
  readonly client: Cluster;
  /** What an application says to connect to it. */
  readonly connection: ConnectionOptions;
  /** The master that has the queue, as one of the masters says. */
  ownerOf(prefix: string, queue: string): Promise<TestNode>;
  /** Moves the slot of a queue to another master, some keys at a time, as `redis-cli --cluster reshard` does. */
  moveQueue(prefix: string, queue: string, pauseMs?: number): Promise<void>;
}

/** Masters on the loopback interface, each with a replica where it is asked for. */
export async function startTestCluster({ hasReplicas = false } = {}): Promise<TestCluster> {
  const nodes = await Promise.all(Array.from({ length: hasReplicas ? 2 * MASTERS : MASTERS }, startNode));
  const masters = nodes.slice(0, MASTERS);
  const replicas = nodes.slice(MASTERS);
  await join(masters, replicas);
  const createClient = (options: Readonly<Record<string, unknown>>) =>
    new Cluster(
      masters.map(({ server }) => ({ host: '127.0.0.1', port: server.port })),
      { redisOptions: { protocol: 2, ...options }, lazyConnect: options['lazyConnect'] === true },
    );
  const client = createClient({});
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return {
    masters,
    replicas,
    client,
    connection: { createClient: (_role, options) => createClient(options) },
    ownerOf: (prefix, queue) => ownerOf(nodes, `${prefix}:{${queue}}:stream`),
    moveQueue: (prefix, queue, pauseMs = 20) => moveSlot(masters, `${prefix}:{${queue}}:stream`, pauseMs),
  };
}

async function startNode(): Promise<TestNode> {
  const extraArgs = [
    ...['--cluster-enabled', 'yes', '--cluster-node-timeout', `${NODE_TIMEOUT_MS}`],
    ...['--repl-diskless-sync-delay', '0', '--cluster-replica-validity-factor', '0'],
  ];
  const server = await startTestRedis({ extraArgs });
  const client = new Redis(server.url, { protocol: 2, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  onTestFinished(async () => {
    client.disconnect();
    await server.kill('SIGCONT').catch(() => undefined);
    await server.stop();
  });
  return { server, client, id: (await client.call('CLUSTER', 'MYID')) as string };
}

async function join(masters: readonly TestNode[], replicas: readonly TestNode[]): Promise<void> {
  const share = Math.ceil(SLOTS / masters.length);
  for (const [i, { client }] of masters.entries()) {
    await client.call('CLUSTER', 'ADDSLOTSRANGE', i * share, Math.min((i + 1) * share, SLOTS) - 1);
  }
  const all = [...masters, ...replicas];
  for (const { server } of all.slice(1)) await masters[0]?.client.call('CLUSTER', 'MEET', '127.0.0.1', server.port);
  for (const [i, { client }] of replicas.entries()) {
    const follow = () => client.call('CLUSTER', 'REPLICATE', masters[i]?.id ?? '').catch(String);
    await expect.poll(follow, { timeout: 20_000 }).toBe('OK');
  }
  const nodesOfSlots = 2 + (replicas.length > 0 ? 2 : 1);
  for (const { client } of all) {
    await expect.poll(() => client.call('CLUSTER', 'INFO'), { timeout: 20_000 }).toMatch(/cluster_state:ok/);
    const ranges = async () => ((await client.call('CLUSTER', 'SLOTS')) as unknown[][]).map((range) => range.length);
    await expect.poll(ranges, { timeout: 20_000 }).toEqual(masters.map(() => nodesOfSlots));
  }
  for (const { client } of replicas) {
    await expect.poll(() => client.info('replication'), { timeout: 20_000 }).toMatch(/master_link_status:up/);
  }
}

async function ownerOf(nodes: readonly TestNode[], key: string): Promise<TestNode> {
  for (const node of nodes) {
    // A replica, or a server that is gone, does not say 0 or 1.
    const answer = await node.client.exists(key).catch(() => undefined);
    if (answer !== undefined) return node;
  }
  throw new Error(`no master has ${key}`);
}

async function moveSlot(masters: readonly TestNode[], key: string, pauseMs: number): Promise<void> {
  const slot = (await masters[0]?.client.call('CLUSTER', 'KEYSLOT', key)) as number;
  const from = await ownerOf(masters, key);
  const to = masters[(masters.indexOf(from) + 1) % masters.length] as TestNode;
  await to.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await from.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  for (;;) {
    const keys = (await from.client.call('CLUSTER', 'GETKEYSINSLOT', slot, 20)) as string[];
    if (keys.length === 0) break;
    await from.client.call('MIGRATE', '127.0.0.1', to.server.port, '', 0, 5_000, 'KEYS', ...keys);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  for (const { client } of [to, from, ...masters]) await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
}

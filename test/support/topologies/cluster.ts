import { Redis } from 'ioredis';
import type { TestRedis } from '../redis-server.js';
import type { NodeAddress } from './cluster-connection.js';
import { FORM_MS, type Grounds } from './grounds.js';

const SLOTS = 16_384;
const MASTERS = 3;

/** One server, and a plain client to it. */
export interface ClusterNode {
  readonly server: TestRedis;
  readonly client: Redis;
  readonly id: string;
}

export interface ClusterOptions {
  readonly hasReplicas?: boolean;
  /** Milliseconds after which a node that does not answer is taken for dead. */
  readonly nodeTimeoutMs?: number;
  readonly extraArgs?: readonly string[];
}

/** Three masters on the loopback interface that share all slots, each with a replica where it is asked for. */
export class TestClusterServers {
  private constructor(
    private readonly grounds: Grounds,
    /** The masters of the beginning, and then their replicas in the same order. */
    readonly nodes: readonly ClusterNode[],
  ) {}

  static async start(grounds: Grounds, options: ClusterOptions = {}): Promise<TestClusterServers> {
    const count = options.hasReplicas ? 2 * MASTERS : MASTERS;
    const nodes = await Promise.all(Array.from({ length: count }, () => startNode(grounds, options)));
    const cluster = new TestClusterServers(grounds, nodes);
    await cluster.#join();
    return cluster;
  }

  /** The masters of the beginning. */
  get masters(): readonly ClusterNode[] {
    return this.nodes.slice(0, MASTERS);
  }

  get replicas(): readonly ClusterNode[] {
    return this.nodes.slice(MASTERS);
  }

  get addresses(): readonly NodeAddress[] {
    return this.masters.map(({ server }) => ({ host: '127.0.0.1', port: server.port }));
  }

  /** The master that has a key, as one of the masters says. */
  async ownerOf(key: string): Promise<ClusterNode> {
    for (const node of this.nodes) {
      // A replica, or a server that is gone, does not say 0 or 1.
      const answer = await node.client.exists(key).catch(() => undefined);
      if (answer !== undefined) return node;
    }
    throw new Error(`no master has ${key}`);
  }

  /** Those that are masters now. */
  async currentMasters(): Promise<ClusterNode[]> {
    const roles = await Promise.all(this.nodes.map(({ client }) => roleOf(client)));
    return this.nodes.filter((_, i) => roles[i]?.[0] === 'master');
  }

  /** The replica of a master of now. */
  async replicaOf(master: ClusterNode): Promise<ClusterNode> {
    for (const node of this.nodes) {
      const [role, , port] = (await roleOf(node.client)) ?? [];
      if (role === 'slave' && port === master.server.port) return node;
    }
    throw new Error(`no replica follows the master on port ${master.server.port}`);
  }

  /** Moves the slot of a key to another master, some keys at a time, as `redis-cli --cluster reshard` does. */
  async moveSlot(key: string, { pauseMs = 20, keysAtOnce = 20 } = {}): Promise<void> {
    const masters = await this.currentMasters();
    const from = await this.ownerOf(key);
    const to = masters[(masters.indexOf(from) + 1) % masters.length] as ClusterNode;
    const slot = (await from.client.call('CLUSTER', 'KEYSLOT', key)) as number;
    await to.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
    await from.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
    for (;;) {
      const keys = (await from.client.call('CLUSTER', 'GETKEYSINSLOT', slot, keysAtOnce)) as string[];
      if (keys.length === 0) break;
      await from.client.call('MIGRATE', '127.0.0.1', to.server.port, '', 0, 5_000, 'KEYS', ...keys);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    for (const { client } of [to, from, ...masters]) await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  }

  /** Resolves when all slots are served, and each replica has all that its master had. */
  async isWhole(): Promise<boolean> {
    const states = await Promise.all(this.nodes.map(({ client }) => client.call('CLUSTER', 'INFO')));
    if (!states.every((state) => /cluster_state:ok/.test(String(state)))) return false;
    const infos = await Promise.all(this.nodes.map(({ client }) => client.info('replication')));
    return infos.every((info) => /role:master/.test(info) || /master_link_status:up/.test(info));
  }

  async #join(): Promise<void> {
    const { masters, replicas, nodes, grounds } = this;
    const share = Math.ceil(SLOTS / MASTERS);
    for (const [i, { client }] of masters.entries()) {
      await client.call('CLUSTER', 'ADDSLOTSRANGE', i * share, Math.min((i + 1) * share, SLOTS) - 1);
    }
    for (const { server } of nodes.slice(1)) await masters[0]?.client.call('CLUSTER', 'MEET', '127.0.0.1', server.port);
    for (const [i, { client }] of replicas.entries()) {
      const follow = async () => (await client.call('CLUSTER', 'REPLICATE', masters[i]?.id ?? '')) === 'OK';
      await grounds.until('a replica to know its master', follow, FORM_MS);
    }
    // A range of slots is two numbers and its nodes.
    const width = 2 + (replicas.length > 0 ? 2 : 1);
    for (const { client } of nodes) {
      const ranges = async () => ((await client.call('CLUSTER', 'SLOTS')) as unknown[][]).map((range) => range.length);
      const isKnown = async () => (await ranges()).join() === masters.map(() => width).join();
      await grounds.until('all nodes to know all slots', isKnown, FORM_MS);
    }
    await grounds.until('the cluster to be whole', () => this.isWhole(), FORM_MS);
  }
}

async function startNode(grounds: Grounds, options: ClusterOptions): Promise<ClusterNode> {
  const { nodeTimeoutMs = 2_000, extraArgs = [] } = options;
  const server = await grounds.start({
    extraArgs: [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', `${nodeTimeoutMs}`],
      ...['--repl-diskless-sync-delay', '0', '--cluster-replica-validity-factor', '0'],
      ...extraArgs,
    ],
  });
  const client = new Redis(server.url, { protocol: 2, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  grounds.onClose(async () => client.disconnect());
  return { server, client, id: (await client.call('CLUSTER', 'MYID')) as string };
}

async function roleOf(client: Redis): Promise<unknown[] | undefined> {
  return client.call('ROLE').then(
    (role) => role as unknown[],
    () => undefined,
  );
}

import type { Cluster } from 'ioredis';
import { onTestFinished } from 'vitest';
import type { ConnectionOptions } from '../../../libs/task-streams/src/index.js';
import { clusterConnection, createCluster } from '../../support/topologies/cluster-connection.js';
import { TestClusterServers, type ClusterNode } from '../../support/topologies/cluster.js';
import { TEST_GROUNDS } from './test-grounds.js';

export interface TestCluster {
  /** Three masters that share all slots. */
  readonly masters: readonly ClusterNode[];
  /** One for each master, in the same order; none unless they were asked for. */
  readonly replicas: readonly ClusterNode[];
  /** A client of the whole cluster. */
  readonly client: Cluster;
  /** What an application says to connect to it. */
  readonly connection: ConnectionOptions;
  /** The master that has the queue, as one of the masters says. */
  ownerOf(prefix: string, queue: string): Promise<ClusterNode>;
  /** Moves the slot of a queue to another master, some keys at a time, as `redis-cli --cluster reshard` does. */
  moveQueue(prefix: string, queue: string, pauseMs?: number): Promise<void>;
}

/** Masters on the loopback interface, each with a replica where it is asked for. */
export async function startTestCluster({ hasReplicas = false } = {}): Promise<TestCluster> {
  const servers = await TestClusterServers.start(TEST_GROUNDS, { hasReplicas });
  const client = createCluster(servers.addresses);
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return {
    masters: servers.masters,
    replicas: servers.replicas,
    client,
    connection: clusterConnection(servers.addresses),
    ownerOf: (prefix, queue) => servers.ownerOf(`${prefix}:{${queue}}:stream`),
    moveQueue: (prefix, queue, pauseMs = 20) => servers.moveSlot(`${prefix}:{${queue}}:stream`, { pauseMs }),
  };
}

import { Cluster } from 'ioredis';
import type { ConnectionOptions } from 'nestjs-task-streams';

export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** What an application says to connect to a Cluster. */
export function clusterConnection(nodes: readonly NodeAddress[]): ConnectionOptions {
  return { createClient: (_role, options) => createCluster(nodes, options) };
}

export function createCluster(nodes: readonly NodeAddress[], options: Readonly<Record<string, unknown>> = {}): Cluster {
  return new Cluster([...nodes], {
    redisOptions: { protocol: 2, ...options },
    lazyConnect: options['lazyConnect'] === true,
  });
}

import type { Cluster } from 'ioredis';
import type { RedisClient } from './redis-client.js';

interface Place {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string | null;
  readonly sentinels?: readonly Place[] | null;
  readonly name?: string | null;
  readonly db?: number;
}

/** Where a client connects to, for messages: hosts and ports and nothing else, because a URL may have a password in it. */
export function addressOf(client: RedisClient | Cluster): string {
  // A client of the user's own kind may have no options.
  const options = (client.options ?? {}) as Place;
  if ('nodes' in client) return 'the nodes of the Cluster';
  const db = options.db ? ` database ${options.db}` : '';
  if (options.sentinels)
    return `${options.name ?? ''} by the sentinels ${options.sentinels.map(hostAndPort).join(', ')}${db}`;
  return `${options.path ?? hostAndPort(options)}${db}`;
}

function hostAndPort({ host = 'localhost', port = 6379 }: Place): string {
  return `${host}:${port}`;
}

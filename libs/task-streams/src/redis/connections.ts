import { Redis, type RedisOptions } from 'ioredis';

import type { ResolvedOptions } from '../options/resolved-options.js';
import type { ConnectionRole } from '../options/task-streams-options.js';
import { RedisUnavailableError } from '../task/redis-unavailable.error.js';
import { lastErrorOf, rememberErrors } from './connection-errors.js';
import { connectionSettings } from './connection-settings.js';
import type { RedisClient } from './redis-client.js';

const DEFAULT_URL = 'redis://localhost:6379';
const QUIT_TIMEOUT_MS = 1_000;

/**
 * The connections of one process: one for each role, and a reader for each queue, because a blocking read holds its
 * connection. Opened when first used.
 */
export class Connections {
  private readonly clients = new Map<string, RedisClient>();
  private closed = false;

  constructor(private readonly options: ResolvedOptions) {}

  /** The client of a role; `queue` tells readers apart. */
  get(role: ConnectionRole, queue = ''): RedisClient {
    const name = `${role} ${queue}`;
    const known = this.clients.get(name);
    if (known) return known;
    if (this.closed) {
      throw new RedisUnavailableError('the connections of this process are closed, because it is stopping', {
        cure: 'Ask again from a process that runs',
      });
    }
    const client = this.create(role);
    this.clients.set(name, client);
    return client;
  }

  /** Drops a connection at once, whatever is in flight on it; the next use opens a new one. */
  drop(role: ConnectionRole, queue = ''): void {
    const name = `${role} ${queue}`;
    this.clients.get(name)?.disconnect();
    this.clients.delete(name);
  }

  /** Closes all connections: what was sent is answered first, unless that takes too long. Can be called twice. */
  async close(): Promise<void> {
    this.closed = true;
    const open = [...this.clients.values()];
    this.clients.clear();
    await Promise.all(open.map(quit));
  }

  private create(role: ConnectionRole): RedisClient {
    const { connection } = this.options;
    const settings = connectionSettings(role, this.options, () => lastErrorOf(client));
    const client: RedisClient = connection.createClient
      ? (connection.createClient(role, settings) as unknown as RedisClient)
      : createRedis(connection.url, { ...connection.options, ...settings });
    rememberErrors(client);
    // Every call that waits for the connection listens to it for a moment.
    client.setMaxListeners(0);
    return client;
  }
}

function createRedis(url: string | undefined, settings: Readonly<Record<string, unknown>>): Redis {
  const hasAddress = ['host', 'port', 'path', 'sentinels'].some((name) => name in settings);
  const options = settings as Omit<RedisOptions, 'replyMapping'>;
  return url === undefined && hasAddress ? new Redis(options) : new Redis(url ?? DEFAULT_URL, options);
}

async function quit(client: RedisClient): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, QUIT_TIMEOUT_MS);
  });
  if (client.status === 'ready') await Promise.race([client.quit().catch(() => undefined), late]);
  clearTimeout(timer);
  client.disconnect();
}

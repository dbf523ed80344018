import { Redis, type Cluster, type RedisOptions } from 'ioredis';

import { clientOptionsOf, requireNoKeyPrefix } from '../../options/check-connection.js';
import type { ResolvedOptions } from '../../options/resolved-options.js';
import type { ConnectionRole } from '../../options/task-streams-options.js';
import { within } from '../../time/within.js';
import { ClusterServers } from './cluster-servers.js';
import { countEpochs } from './connection-epoch.js';
import { lastErrorOf, rememberErrors } from './connection-errors.js';
import { connectionSettings } from './connection-settings.js';
import { FailOver } from './fail-over.js';
import type { RedisClient } from './redis-client.js';
import { requireUsableClient } from './require-usable-client.js';
import { Route } from './route.js';
import { connectionsClosed, type ClientMaker, type Servers } from './servers.js';
import { SingleServer } from './single-server.js';

const QUIT_TIMEOUT_MS = 1_000;

/** The connections of one process. Opened when first used. */
export class Connections implements ClientMaker {
  private readonly routes = new Map<string, Route>();
  private readonly failOver = new FailOver();
  private known: Servers | undefined;
  private closed = false;

  constructor(private readonly options: ResolvedOptions) {}

  /** The way to the server that has a key. */
  route(role: ConnectionRole, key: string): Route {
    const name = `${role} ${key}`;
    let route = this.routes.get(name);
    if (!route) this.routes.set(name, (route = new Route(this.servers, role, key)));
    return route;
  }

  /** What is behind the connection: found out by the first client that is made. */
  get servers(): Servers {
    if (this.known) return this.known;
    if (this.closed) connectionsClosed();
    const first = this.create('command');
    if (isCluster(first)) this.known = new ClusterServers(first, this);
    else this.known = new SingleServer(first, (role) => this.create(role) as RedisClient);
    return this.known;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Closes all connections: what was sent is answered first, unless that takes too long. Can be called twice. */
  async close(): Promise<void> {
    this.closed = true;
    this.failOver.close();
    await Promise.all((this.known?.end() ?? []).map(quit));
  }

  settings(role: ConnectionRole, client: () => RedisClient): Readonly<Record<string, unknown>> {
    return connectionSettings(role, this.options, {
      lastError: () => lastErrorOf(client()),
      onDemoted: () => this.failOver.noteDemotion(),
    });
  }

  adopt(client: RedisClient): RedisClient {
    rememberErrors(client);
    countEpochs(client);
    // Every call that waits for the connection listens to it for a moment.
    client.setMaxListeners(0);
    return client;
  }

  private create(role: ConnectionRole): RedisClient | Cluster {
    const { connection } = this.options;
    const settings = this.settings(role, () => client as RedisClient);
    const client: RedisClient | Cluster = connection.createClient
      ? (connection.createClient(role, settings) as unknown as RedisClient | Cluster)
      : createRedis({ ...clientOptionsOf(connection), ...settings });
    this.adopt(client as RedisClient);
    // The nodes of a Cluster are followed by its slots.
    if (!isCluster(client)) this.failOver.watch(client, role);
    try {
      if (connection.createClient) {
        requireNoKeyPrefix('connection.createClient', client);
        requireUsableClient(role, client);
      }
    } catch (error) {
      client.disconnect();
      throw error;
    }
    return client;
  }
}

function isCluster(client: RedisClient | Cluster): client is Cluster {
  return 'nodes' in client && typeof client.nodes === 'function';
}

function createRedis(settings: Readonly<Record<string, unknown>>): Redis {
  return new Redis(settings as Omit<RedisOptions, 'replyMapping'>);
}

async function quit(client: RedisClient): Promise<void> {
  // One that is cut meanwhile is closed as well.
  const hasQuit = client.status === 'ready' ? client.quit().catch(() => undefined) : Promise.resolve();
  await within(hasQuit, QUIT_TIMEOUT_MS);
  client.disconnect();
}

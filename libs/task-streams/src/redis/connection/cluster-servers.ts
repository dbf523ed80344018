import type { Cluster } from 'ioredis';
import type { ConnectionRole } from '../../options/task-streams-options.js';
import { addressOf } from './address-of.js';
import { ClusterTopology } from './cluster-topology.js';
import type { RedisClient } from './redis-client.js';
import { connectionsClosed, type ClientMaker, type Servers } from './servers.js';
import { isHopeless, whenReady } from './when-ready.js';

/** How long one server is waited for before the slots are asked for again: it may be dead, and replaced. */
const PATIENCE_MS = 300;

interface NodeClient {
  readonly client: RedisClient;
  readonly node: string;
  /** The key it was made for, where it is of no use for others. */
  readonly readerOf: string | undefined;
}

/**
 * The primaries of a Cluster: to each a client for each role, and a reader for each queue. The Cluster client of the user
 * says who has a slot and carries nothing itself: it would send a turn again whose answer was lost, and a WAIT to any server.
 */
export class ClusterServers implements Servers {
  private readonly clients = new Map<string, NodeClient>();
  private readonly nodes = new WeakMap<RedisClient, string>();
  private readonly topology: ClusterTopology;
  private isEnded = false;

  constructor(
    private readonly cluster: Cluster,
    private readonly maker: ClientMaker,
  ) {
    this.topology = new ClusterTopology(cluster, () => this.prune());
  }

  clientFor(role: ConnectionRole, key: string): RedisClient | undefined {
    const node = this.topology.ownerOf(key);
    return node === undefined ? undefined : this.client(role, node, role === 'reader' ? key : undefined);
  }

  open(role: ConnectionRole, key: string, timeoutMs: number): Promise<RedisClient> {
    return this.keepTrying(timeoutMs, async (leftMs) => {
      const client = this.clientFor(role, key);
      if (!client) return this.learn(leftMs);
      return (await whenReady(client, leftMs)) ?? client;
    });
  }

  openAll(timeoutMs: number): Promise<RedisClient[]> {
    return this.keepTrying(timeoutMs, async (leftMs) => {
      const nodes = [...this.topology.primaries()];
      if (nodes.length === 0) return this.learn(leftMs);
      const clients = nodes.map((node) => this.client('command', node, undefined));
      const errors = await Promise.all(clients.map((client) => whenReady(client, leftMs)));
      return errors.find((error) => error !== undefined) ?? clients;
    });
  }

  beside(client: RedisClient): RedisClient {
    const node = this.nodes.get(client);
    return node === undefined ? client : this.client('command', node, undefined);
  }

  async follow(key: string, error: unknown): Promise<boolean> {
    const before = this.topology.ownerOf(key);
    return (await this.topology.hear(error)) && this.topology.ownerOf(key) !== before;
  }

  areTogether(key: string, other: string): boolean {
    return this.topology.slotOf(key) === this.topology.slotOf(other);
  }

  addressOf(key: string): string {
    const node = this.topology.ownerOf(key);
    return node === undefined ? addressOf(this.cluster) : `${node} of the Cluster`;
  }

  drop(client: RedisClient): void {
    client.disconnect();
    for (const [name, known] of this.clients) if (known.client === client) this.clients.delete(name);
  }

  end(): RedisClient[] {
    this.isEnded = true;
    const open = [...this.clients.values()].map(({ client }) => client);
    this.clients.clear();
    return [...open, this.cluster as unknown as RedisClient];
  }

  private client(role: ConnectionRole, node: string, readerOf: string | undefined): RedisClient {
    const name = `${role} ${node} ${readerOf ?? ''}`;
    const known = this.clients.get(name);
    if (known) return known.client;
    if (this.isEnded) connectionsClosed();
    const settings = this.maker.settings(role, () => client);
    const client = this.maker.adopt(this.topology.createClient(node, settings));
    client.on('close', () => void this.topology.refresh());
    this.clients.set(name, { client, node, readerOf });
    this.nodes.set(client, node);
    return client;
  }

  /** The first look at the slots. */
  private async learn(timeoutMs: number): Promise<Error> {
    return (await this.topology.known(timeoutMs)) ?? new Error('no server of the Cluster has the slot');
  }

  /** Asks for the slots again between two tries: a server that does not answer may have been replaced. */
  private async keepTrying<T>(timeoutMs: number, attempt: (leftMs: number) => Promise<T | Error>): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      if (this.isEnded) connectionsClosed();
      const leftMs = Math.max(deadline - performance.now(), 0);
      const result = await attempt(Math.min(leftMs, PATIENCE_MS));
      if (!(result instanceof Error)) return result;
      if (isHopeless(result) || performance.now() >= deadline) throw result;
      await this.topology.refresh();
    }
  }

  /** A client to a server that is no primary, and a reader of a slot that is elsewhere, would wait for nothing. */
  private prune(): void {
    const primaries = this.topology.primaries();
    for (const { client, node, readerOf } of this.clients.values()) {
      const isStray = readerOf !== undefined && this.topology.ownerOf(readerOf) !== node;
      if (!primaries.has(node) || isStray) this.drop(client);
    }
  }
}

import type { ConnectionRole } from '../../options/task-streams-options.js';
import { addressOf } from './address-of.js';
import type { RedisClient } from './redis-client.js';
import { connectionsClosed, type Servers } from './servers.js';
import { whenReady } from './when-ready.js';

/**
 * One server has every key: one client for each role, and a reader for each queue, because a blocking read holds its
 * connection.
 */
export class SingleServer implements Servers {
  private readonly clients = new Map<string, RedisClient>();
  private isEnded = false;

  constructor(
    private readonly first: RedisClient,
    private readonly create: (role: ConnectionRole) => RedisClient,
  ) {
    this.clients.set('command', first);
  }

  clientFor(role: ConnectionRole, key: string): RedisClient {
    const name = role === 'reader' ? `${role} ${key}` : role;
    const known = this.clients.get(name);
    if (known) return known;
    if (this.isEnded) connectionsClosed();
    const client = this.create(role);
    this.clients.set(name, client);
    return client;
  }

  async open(role: ConnectionRole, key: string, timeoutMs: number): Promise<RedisClient> {
    const client = this.clientFor(role, key);
    const error = await whenReady(client, timeoutMs);
    if (error) throw error;
    return client;
  }

  async openAll(timeoutMs: number): Promise<RedisClient[]> {
    return [await this.open('command', '', timeoutMs)];
  }

  beside(): RedisClient {
    return this.clientFor('command', '');
  }

  async follow(): Promise<boolean> {
    return false;
  }

  areTogether(): boolean {
    return true;
  }

  addressOf(): string {
    return addressOf(this.first);
  }

  drop(client: RedisClient): void {
    client.disconnect();
    for (const [name, known] of this.clients) if (known === client) this.clients.delete(name);
  }

  end(): RedisClient[] {
    this.isEnded = true;
    const open = [...this.clients.values()];
    this.clients.clear();
    return open;
  }
}

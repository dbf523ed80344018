import type { ConnectionRole } from '../../options/task-streams-options.js';
import { RedisUnavailableError } from '../../task/redis-unavailable.error.js';
import type { RedisClient } from './redis-client.js';

/** The servers behind a connection: one, or the primaries of a Cluster. Every client is a plain one, to one server. */
export interface Servers {
  /** The client to the server that has the key; `undefined` where that is not known yet. Opened when it is first used. */
  clientFor(role: ConnectionRole, key: string): RedisClient | undefined;
  /** The same, ready to be used. @throws the error of the connection when it is not within so long. */
  open(role: ConnectionRole, key: string, timeoutMs: number): Promise<RedisClient>;
  /** Clients for short commands to all servers that take writes. @throws the error of the connection. */
  openAll(timeoutMs: number): Promise<RedisClient[]>;
  /** The client for short commands to the server of another client. */
  beside(client: RedisClient): RedisClient;
  /** Whether the error says that the key is on another server, which was found: the command was not carried out. */
  follow(key: string, error: unknown): Promise<boolean>;
  /** Whether one script can write to both keys. */
  areTogether(key: string, other: string): boolean;
  /** Where it connects to, for messages. */
  addressOf(key: string): string;
  /** Drops a connection at once, whatever is in flight on it; the next use opens a new one. */
  drop(client: RedisClient): void;
  /** Every client, open or not, and no new ones from now on. */
  end(): RedisClient[];
}

/** Makes the settings and counts the connections of a new client. */
export interface ClientMaker {
  settings(role: ConnectionRole, client: () => RedisClient): Readonly<Record<string, unknown>>;
  adopt(client: RedisClient): RedisClient;
}

/** @throws RedisUnavailableError */
export function connectionsClosed(): never {
  throw new RedisUnavailableError('the connections of this process are closed, because it is stopping', {
    cure: 'Ask again from a process that runs',
  });
}

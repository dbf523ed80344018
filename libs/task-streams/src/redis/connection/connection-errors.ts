import type { RedisClient } from './redis-client.js';
import { withoutSecrets } from './without-secrets.js';

const LAST = new WeakMap<RedisClient, Error>();

/**
 * Remembers why a client has no connection, until it has one. Without a listener an error event would end the process;
 * whoever waits for a reply gets the error.
 */
export function rememberErrors(client: RedisClient): void {
  client.on('error', (error: Error) => LAST.set(client, withoutSecrets(rootOf(error))));
  client.on('ready', () => LAST.delete(client));
}

/** A Cluster client that found no node hides why in an error of its own. */
export function rootOf(error: Error & { readonly lastNodeError?: unknown }): Error {
  return error.lastNodeError instanceof Error ? error.lastNodeError : error;
}

/** Why the client has no connection, as far as that is known. */
export function lastErrorOf(client: RedisClient): Error | undefined {
  return LAST.get(client);
}

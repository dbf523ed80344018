import type { RedisClient } from './redis-client.js';

const EPOCHS = new WeakMap<RedisClient, number>();

/** Begins to count the sockets of a client. */
export function countEpochs(client: RedisClient): void {
  EPOCHS.set(client, 0);
  client.on('close', () => EPOCHS.set(client, epochOf(client) + 1));
}

/**
 * Which of its sockets a client uses. Two answers of one epoch came from one connection, so from one server; the client
 * connects again by itself, and what it sends then is about nothing that it sent before.
 */
export function epochOf(client: RedisClient): number {
  return EPOCHS.get(client) ?? 0;
}

/** Whether a command that is given to the client now can leave on the socket of this epoch. */
export function isOpen(client: RedisClient, epoch: number): boolean {
  return client.status === 'ready' && epochOf(client) === epoch;
}

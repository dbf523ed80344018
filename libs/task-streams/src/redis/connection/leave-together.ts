import type { RedisClient } from './redis-client.js';

/**
 * Lets the commands that a client is given before the event loop goes on leave in one write, and not in one each.
 */
export function leaveTogether(client: RedisClient): void {
  const { stream } = client;
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

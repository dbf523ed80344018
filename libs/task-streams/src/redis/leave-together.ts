import type { RedisClient } from './redis-client.js';

/**
 * Lets the commands that a client is given before the event loop goes on leave in one write, and not in one each. A client
 * of a Cluster has many connections, and writes as it always does.
 */
export function leaveTogether(client: RedisClient): void {
  const stream = 'stream' in client ? client.stream : undefined;
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

import type { ServerReport } from '../../contracts/server-store.interface.js';
import { evictionAdvice } from '../../policy/server-advice.js';
import type { RedisClient } from '../connection/redis-client.js';
import type { RedisSession } from '../connection/redis-session.js';

/** From the one that loses most to the one that loses least. */
const PERSISTENCE = ['none', 'no-fsync', 'unknown', 'everysec', 'always'] as const;

/** What these servers promise together: the queues are spread over all of them, so the least that one of them does. */
export async function detectServers(
  { detectServer }: Pick<RedisSession, 'detectServer'>,
  clients: readonly RedisClient[],
): Promise<ServerReport> {
  const reports = await Promise.all(clients.map((client) => detectServer(client)));
  return reports.reduce(worseOf);
}

function worseOf(one: ServerReport, other: ServerReport): ServerReport {
  const oldest = Number.parseFloat(other.version) < Number.parseFloat(one.version) ? other : one;
  const memory = evictionAdvice(one) === undefined && evictionAdvice(other) !== undefined ? other : one;
  return {
    kind: oldest.kind,
    version: oldest.version,
    persistence: PERSISTENCE.find((kind) => kind === one.persistence || kind === other.persistence) ?? one.persistence,
    evictionPolicy: memory.evictionPolicy,
    maxMemoryBytes: memory.maxMemoryBytes,
    capabilities: one.capabilities.filter((capability) => other.capabilities.includes(capability)),
    unanswered: [...new Set([...one.unanswered, ...other.unanswered])],
  };
}

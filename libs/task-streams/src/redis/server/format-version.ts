import { classifyRedisError } from '../../policy/redis-error.js';
import { UnsuitableServerError } from '../../task/config-errors.js';
import type { RedisClient } from '../connection/redis-client.js';
import type { RedisSession } from '../connection/redis-session.js';

/** The version of what lies under the keys of a queue; `docs/wire-format.md` describes it. */
export const FORMAT_VERSION = 1;

/** @throws UnsuitableServerError where a queue is kept in a format that only a newer release knows. */
export async function requireKnownFormat(session: RedisSession, queues: readonly string[]): Promise<true> {
  const versions = await Promise.all(
    queues.map((queue) => session.command(queue, (client) => readVersion(client, session.keys(queue).meta))),
  );
  queues.forEach((queue, i) => {
    const version = versions[i];
    if (version === null || version === undefined || Number(version) <= FORMAT_VERSION) return;
    throw new UnsuitableServerError(
      `Queue "${queue}" is kept in format ${version}, and this release of nestjs-task-streams knows formats up to ` +
        `${FORMAT_VERSION}. Update nestjs-task-streams in this process.`,
    );
  });
  return true;
}

/** A key of another type is what another check tells of. */
async function readVersion(client: RedisClient, meta: string): Promise<string | null> {
  try {
    return await client.hget(meta, 'v');
  } catch (error) {
    if (classifyRedisError(error) === 'wrong-type') return null;
    throw error;
  }
}

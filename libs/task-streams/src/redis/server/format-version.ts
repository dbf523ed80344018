import { classifyRedisError } from '../../policy/redis-error.js';
import { UnsuitableServerError } from '../../task/config-errors.js';
import type { RedisClient } from '../connection/redis-client.js';
import type { RedisSession } from '../connection/redis-session.js';

/** The version of what lies under the keys of a queue; `docs/wire-format.md` describes it. */
export const FORMAT_VERSION = 2;

/** The oldest one that this release can go on with: 1 is that of builds from before the first release. */
export const OLDEST_FORMAT_VERSION = 2;

const NEW_CURE = 'Update nestjs-task-streams in this process';
const OLD_CURE = 'Let the release that wrote it empty the queue, or choose another prefix';

/** @throws UnsuitableServerError where a queue is kept in a format that only another release knows. */
export async function requireKnownFormat(session: RedisSession, queues: readonly string[]): Promise<true> {
  const versions = await Promise.all(
    queues.map((queue) => session.command(queue, (client) => readVersion(client, session.keys(queue).meta))),
  );
  queues.forEach((queue, i) => {
    const version = versions[i];
    if (version === null || version === undefined) return;
    const number = Number(version);
    if (number >= OLDEST_FORMAT_VERSION && number <= FORMAT_VERSION) return;
    throw new UnsuitableServerError(
      `Queue "${queue}" is kept in format ${version}, and this release of nestjs-task-streams knows formats ` +
        `${OLDEST_FORMAT_VERSION} to ${FORMAT_VERSION}. ${number < OLDEST_FORMAT_VERSION ? OLD_CURE : NEW_CURE}.`,
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

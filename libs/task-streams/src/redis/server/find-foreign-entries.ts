import { fieldOf } from '../../task/entry-fields.js';
import type { RedisSession } from '../connection/redis-session.js';

/** Entries looked at from each end of the stream: few, because each may be a mebibyte. */
const FROM_EACH_END = 20;

/**
 * Entries of a task stream that no task of this library can be, because they have no head or no body: up to 40 are looked
 * at, the oldest and the newest.
 *
 * @returns their ids.
 * @throws RedisUnavailableError where Redis cannot be asked.
 */
export async function findForeignEntries(session: RedisSession, queue: string): Promise<readonly string[]> {
  const { stream } = session.keys(queue);
  const [oldest, newest] = await session.ask(queue, (client) =>
    Promise.all([
      client.xrange(stream, '-', '+', 'COUNT', FROM_EACH_END),
      client.xrevrange(stream, '+', '-', 'COUNT', FROM_EACH_END),
    ]),
  );
  const foreign = [...oldest, ...newest].filter(([, fields]) => isForeign(fields)).map(([entryId]) => entryId);
  return [...new Set(foreign)].toSorted();
}

function isForeign(fields: readonly string[]): boolean {
  return fieldOf(fields, 'head') === undefined || fieldOf(fields, 'body') === undefined;
}

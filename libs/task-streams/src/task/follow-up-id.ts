import { hash } from 'node:crypto';
import { MAX_NAME_LENGTH } from './names.js';

/** The most characters of what is added to a parent whose id is cut: `~`, 24 digits, the time and the place. */
const ROOM = 60;

/**
 * The id that a follow-up has where none is given: `<parent>:<when the parent was enqueued, in base 36>:<place>`. The same
 * over all attempts, redeliveries and redrives of the parent, and another one for another task that has the parent's id
 * later. Of a parent whose id is too long for that there is its begin and a hash.
 *
 * @param enqueuedAt In milliseconds since 1970 by the clock of Redis.
 * @param place 1 for the first follow-up.
 */
export function followUpId(parentId: string, enqueuedAt: number, place: number): string {
  const end = `:${enqueuedAt.toString(36)}:${place}`;
  if (parentId.length + end.length <= MAX_NAME_LENGTH) return parentId + end;
  const begin = parentId.slice(0, MAX_NAME_LENGTH - ROOM).toWellFormed();
  return `${begin}~${hash('sha1', parentId, 'hex').slice(0, 24)}${end}`;
}

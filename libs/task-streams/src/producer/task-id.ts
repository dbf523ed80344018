import { randomUUID } from 'node:crypto';

/**
 * A new task id: a UUID of version 7 (RFC 9562), whose text sorts by the millisecond it was made in.
 *
 * @param now Milliseconds since 1970.
 * @internal
 */
export function newTaskId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  // Version, variant and 74 random bits come from a UUID of version 4; the time replaces its first 48 bits.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

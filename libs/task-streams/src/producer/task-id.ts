import { randomUUID } from 'node:crypto';

let lastMs = -1;
let lastTime = '';

/** The first 48 bits. Many ids are made within a millisecond. */
function timePart(ms: number): string {
  if (ms !== lastMs) {
    const time = ms.toString(16).padStart(12, '0');
    lastTime = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    lastMs = ms;
  }
  return lastTime;
}

/**
 * A new task id: a UUID of version 7 (RFC 9562), whose text sorts by the millisecond it was made in.
 *
 * @param now Milliseconds since 1970.
 * @internal
 */
export function newTaskId(now: number = Date.now()): string {
  // Version, variant and 74 random bits come from a UUID of version 4; the time replaces its first 48 bits.
  return timePart(now) + randomUUID().slice(15);
}

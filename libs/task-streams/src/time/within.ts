import { pause } from './pause.js';

/**
 * Waits for a promise, for so long at most. What comes later is ignored, errors too.
 *
 * @returns Whether it came in time.
 * @throws What the promise rejects with in time.
 */
export async function within(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const end = new AbortController();
  try {
    return await Promise.race([work.then(() => true), pause(timeoutMs, end.signal).then(() => false)]);
  } finally {
    end.abort();
  }
}

import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 100;

/**
 * Asks again and again until there is an answer, and answers it.
 *
 * @param what What is waited for, for the error.
 * @param probe Answers `undefined` while it is not there; what it throws counts as not there, and is told in the end.
 * @throws Error when it did not come in time, with what was seen last.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  timeoutMs: number,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== undefined) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${timeoutMs} ms`, { cause: lastError });
    await pause(PAUSE_MS);
  }
}

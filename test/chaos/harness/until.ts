import { setTimeout as pause } from 'node:timers/promises';

const STEP_MS = 25;

/**
 * Waits until the probe answers true. A probe that throws counts as not yet.
 *
 * @returns whether it came in time.
 */
export async function comesTrue(probe: () => Promise<boolean> | boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const isTrue = await Promise.resolve()
      .then(probe)
      .catch(() => false);
    if (isTrue) return true;
    if (performance.now() > deadline) return false;
    await pause(STEP_MS);
  }
}

/** As {@link comesTrue}. @throws Error when it did not come in time. */
export async function until(what: string, probe: () => Promise<boolean> | boolean, timeoutMs: number): Promise<void> {
  if (!(await comesTrue(probe, timeoutMs))) throw new Error(`${what} did not come within ${timeoutMs} ms`);
}

/** How long a fault lasts, or how far faults are apart: never used to wait for something to have happened. */
export function lasts(ms: number): Promise<void> {
  return pause(ms);
}

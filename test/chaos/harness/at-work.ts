import type { Bench } from './bench.js';
import { lasts } from './until.js';

const LOOK_FOR_MS = 2_000;
const STEP_MS = 5;

/**
 * Stops a worker (SIGSTOP) while tasks are in its hands. A fault that meets an idle worker tests nothing, so its hands are
 * looked into after it was stopped; if they are empty it goes on for a moment.
 *
 * @returns whether there was something in its hands; if not for two seconds, it is stopped all the same.
 */
export async function stopAtWork({ fleet, watch }: Bench, slot: number): Promise<boolean> {
  const worker = fleet.at(slot);
  const deadline = performance.now() + LOOK_FOR_MS;
  for (;;) {
    worker.signal('SIGSTOP');
    if ((await watch.inHandsOf(worker.pid)) > 0) return true;
    if (performance.now() > deadline) return false;
    worker.signal('SIGCONT');
    await lasts(STEP_MS);
  }
}

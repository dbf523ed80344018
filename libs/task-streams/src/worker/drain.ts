import { within } from '../time/within.js';
import type { RunRegistry } from './run-registry.js';
import type { RunStarter } from './run-starter.js';

/** What a handler gets to answer its abort signal, and Redis to take the last settlements. */
const LAST_WORD_MS = 500;
const SETTLE_MS = 2_000;

/**
 * Ends the work of one queue: hands back what was not started, waits for what runs, tells the rest to stop, and hands
 * that back too. Neither costs a task an attempt or a hand-out.
 */
export async function drain(registry: RunRegistry, starter: RunStarter, shutdownTimeoutMs: number): Promise<void> {
  for (const run of registry.takeBuffered()) starter.release(run);
  await until(registry, shutdownTimeoutMs);
  if (registry.size === 0) return;
  for (const run of registry.all()) starter.stop(run, shutdownTimeoutMs);
  await until(registry, LAST_WORD_MS);
  for (const run of registry.all()) starter.release(run);
  await until(registry, SETTLE_MS);
}

async function until(registry: RunRegistry, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (registry.size > 0) {
    if (!(await within(registry.removed(), deadline - performance.now()))) return;
  }
}

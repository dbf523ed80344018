import type { DeadLetterStore } from '../contracts/dead-letter-store.interface.js';
import type { Trouble } from './error-episodes.js';
import { Periodic } from './periodic.js';

const INTERVAL_MS = 60_000;
const BATCH = 200;

/**
 * Drops dead letters that are past their retention. The script that adds one makes place for it; this is for a queue in
 * which nothing dies any more, and for a limit that was lowered. Every worker runs one: what one dropped is gone for the
 * others.
 */
export class DeadLetterTrimmer {
  private readonly periodic: Periodic;

  constructor(
    queue: string,
    store: Pick<DeadLetterStore, 'trim'>,
    onDropped: (count: number) => void,
    trouble: Trouble,
  ) {
    this.periodic = new Periodic(async () => {
      const count = await store.trim(queue, BATCH);
      if (count > 0) onDropped(count);
      // A call also ends at a number of bytes, so that only an empty one says that there are no more.
      return count > 0 ? 0 : INTERVAL_MS;
    }, trouble);
  }

  /** @param delayMs Milliseconds until the first look. */
  start(delayMs: number): void {
    this.periodic.start(delayMs);
  }

  stop(): Promise<void> {
    return this.periodic.stop();
  }
}

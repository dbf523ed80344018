import { setTimeout as wait } from 'node:timers/promises';

/** How late it may be and still catch up, in milliseconds. */
const MAX_LAG_MS = 10_000;
/** How much of the usual distance two batches keep while it catches up: no burst, whatever the pause was. */
const CATCH_UP = 0.8;

/** Lets so many through a second, spread evenly. */
export class Pace {
  /** When the next ones are due, and the earliest moment for them. */
  private dueAt: number;
  private earliestAt: number;

  /** @param now A clock in milliseconds. */
  constructor(
    private readonly ratePerSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.dueAt = this.earliestAt = now();
  }

  /** Milliseconds to wait until `count` more may go, which are counted as gone. */
  take(count: number): number {
    const now = this.now();
    const shareMs = (count / this.ratePerSecond) * 1_000;
    const startAt = Math.max(this.dueAt, this.earliestAt, now);
    this.dueAt = Math.max(this.dueAt, now - MAX_LAG_MS) + shareMs;
    this.earliestAt = startAt + shareMs * CATCH_UP;
    return startAt - now;
  }

  /** How many go at once: ten times a second, at most 100. */
  get batchSize(): number {
    return Math.max(1, Math.min(100, Math.floor(this.ratePerSecond / 10)));
  }
}

/** Waits, or until the signal aborts. Never rejects. */
export async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms > 0) await wait(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

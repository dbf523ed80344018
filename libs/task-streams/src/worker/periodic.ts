import { errorPauseMs } from '../policy/redis-reactions.js';
import type { Trouble } from './error-episodes.js';

/**
 * Runs a step again and again until it is stopped. The step answers how many milliseconds to wait before the next one.
 * A step that fails is reported and waits longer and longer. Can be stopped before it was started, and twice.
 */
export class Periodic {
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();
  private stopped = false;
  private failures = 0;

  constructor(
    private readonly step: () => Promise<number>,
    private readonly trouble: Trouble,
    /** The longest pause after a step that failed, in milliseconds. */
    private readonly longestPauseMs = Infinity,
  ) {}

  /** @param delayMs Milliseconds until the first step. */
  start(delayMs: number): void {
    this.schedule(delayMs);
  }

  /** Resolves when the step that runs now has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.current;
  }

  private schedule(delayMs: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.current = this.turn();
    }, delayMs);
  }

  private async turn(): Promise<void> {
    let delayMs: number;
    try {
      delayMs = await this.step();
      this.failures = 0;
      this.trouble.ended();
    } catch (error) {
      this.trouble.failed(error);
      this.failures += 1;
      delayMs = Math.min(errorPauseMs(this.failures, error), this.longestPauseMs);
    }
    this.schedule(delayMs);
  }
}

import type { Run } from './run.js';
import type { RunRegistry } from './run-registry.js';

const TICK_MS = 100;

/**
 * Notices attempts that take too long. One timer for all of them, and none while nothing runs: a timer for each task
 * would cost more than a short task.
 */
export class DeadlineWatch {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly registry: RunRegistry,
    private readonly onTimeout: (run: Run) => void,
  ) {}

  /** To be called when a run with a deadline was started. */
  arm(): void {
    this.timer ??= setInterval(() => this.tick(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private tick(): void {
    if (this.registry.size === 0) return this.stop();
    const now = performance.now();
    for (const run of this.registry.all()) {
      if (run.hasHandler && run.deadline <= now) this.onTimeout(run);
    }
  }
}

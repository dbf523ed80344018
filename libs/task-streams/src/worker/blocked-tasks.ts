import { blockedTaskError } from '../policy/redis-error.js';
import type { Trouble } from './error-episodes.js';

/**
 * Tasks of which another program wrote over a key. Each is tried again when its lease has expired, by any worker of the
 * queue, so one that has not been met for longer than that is well again.
 */
export class BlockedTasks {
  private metAt = 0;
  private isOpen = false;

  /** @param forgetAfterMs Milliseconds without one after which all are well. */
  constructor(
    private readonly forgetAfterMs: number,
    private readonly trouble: Trouble,
  ) {}

  /** What a claim could not claim: `<task id>: <why>`. */
  met(blocked: readonly string[]): void {
    const [first] = blocked;
    if (first === undefined) return;
    this.metAt = performance.now();
    this.isOpen = true;
    this.trouble.failed(blockedTaskError(blocked.length === 1 ? first : `${first} (and ${blocked.length - 1} more)`));
  }

  /** To be called from time to time. */
  look(): void {
    if (!this.isOpen || performance.now() - this.metAt < this.forgetAfterMs) return;
    this.isOpen = false;
    this.trouble.ended();
  }
}

import type { WorkerObserver } from '../watch/worker-observer.interface.js';
import { errorPauseMs } from '../policy/redis-reactions.js';
import type { LateCause } from '../task/worker-errors.js';
import type { LeaseKeeper } from './lease-keeper.js';
import { pause } from '../time/pause.js';
import type { Run } from './run.js';
import type { RunRegistry } from './run-registry.js';

/** A lease is renewed at a third of it: from here on two renewals are missing, and nothing new is started on it. */
const LATE = 2 / 3;
/** From here on another worker may have the task before this one could know: its handler is told to stop. */
const DOUBTFUL = 9 / 10;
const [SHORTEST_TICK_MS, LONGEST_TICK_MS] = [20, 1_000];

export interface LeaseGuardParts {
  readonly queue: string;
  readonly registry: RunRegistry;
  readonly keeper: Pick<LeaseKeeper, 'renewNow'>;
  readonly leaseMs: number;
  readonly observer: WorkerObserver;
  readonly onDoubt: (run: Run, sinceMs: number, why: LateCause) => void;
}

/**
 * Watches by the clock of this process whether leases are renewed in time. A worker that is cut off from Redis hears from
 * nobody that its tasks were taken over; it can only know for how long it has not heard that they are still its own. Looks
 * with a timer of its own, because a renewal may be on its way for long.
 */
export class LeaseGuard {
  private readonly tickMs: number;
  private timer: NodeJS.Timeout | undefined;
  private tickedAt = 0;
  private isLate = false;

  constructor(private readonly parts: LeaseGuardParts) {
    this.tickMs = Math.min(Math.max(parts.leaseMs / 20, SHORTEST_TICK_MS), LONGEST_TICK_MS);
  }

  start(): void {
    this.tickedAt = performance.now();
    this.timer = setInterval(() => this.tick(), this.tickMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Whether there is enough left of a lease to start a task on it. */
  isFresh(run: Run): boolean {
    return performance.now() - run.leasedAt <= this.parts.leaseMs * LATE;
  }

  /** Renews the lease of a run that is to start. Resolves when that worked, or the run is not ours to start any more. */
  async renew(run: Run): Promise<void> {
    for (let tries = 1; run.state === 'starting'; tries += 1) {
      const error: unknown = await this.parts.keeper.renewNow().catch((reason: unknown) => reason);
      if (this.isFresh(run)) return;
      await pause(errorPauseMs(tries, error));
    }
  }

  private tick(): void {
    const now = performance.now();
    const { registry, leaseMs, onDoubt } = this.parts;
    const why: LateCause = now - this.tickedAt - this.tickMs > leaseMs / 3 ? 'event-loop' : 'redis';
    this.tickedAt = now;
    const held = registry.all();
    for (const run of held) {
      if (now - run.leasedAt > leaseMs * DOUBTFUL) onDoubt(run, now - run.leasedAt, why);
    }
    this.tell(held, now, why);
  }

  /** Once for each time that leases are late. */
  private tell(held: readonly Run[], now: number, why: LateCause): void {
    const { queue, leaseMs, observer } = this.parts;
    const sinceMs = Math.round(now - held.reduce((oldest, { leasedAt }) => Math.min(oldest, leasedAt), now));
    const wasLate = this.isLate;
    this.isLate = sinceMs > leaseMs * LATE;
    if (!this.isLate || wasLate) return;
    observer.observe({ kind: 'lease-late', queue, sinceMs, leaseMs, heldCount: held.length, why });
  }
}

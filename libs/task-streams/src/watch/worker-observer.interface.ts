import type { TaskOutcome } from '../task/task-outcome.js';
import type { LateCause } from '../task/worker-errors.js';
import type { Delivery, SettleReply } from '../contracts/work-store.interface.js';

/** What a worker tells about its work. Discriminated by `kind`. */
export type WorkerEvent =
  | { readonly kind: 'started'; readonly delivery: Delivery }
  | {
      readonly kind: 'settled';
      readonly delivery: Delivery;
      readonly outcome: TaskOutcome;
      readonly reply: SettleReply;
      /** Milliseconds from the start of the attempt to its end, without the settlement; 0 for one that never started. */
      readonly durationMs: number;
    }
  /** Another worker owns the task now; what this one returns is refused. */
  | { readonly kind: 'lease-lost'; readonly delivery: Delivery }
  /**
   * Leases were not renewed in time, because the event loop was blocked (or the process paused) or Redis did not answer:
   * tasks may soon run a second time elsewhere. Told once, until renewing works again.
   */
  | {
      readonly kind: 'lease-late';
      readonly queue: string;
      /** Milliseconds since the oldest lease was renewed last. */
      readonly sinceMs: number;
      readonly leaseMs: number;
      readonly heldCount: number;
      readonly why: LateCause;
    }
  /** The handler went on after its timeout, or after the worker gave it up. */
  | { readonly kind: 'abandoned'; readonly delivery: Delivery }
  /** An abandoned handler has ignored its abort signal for so long. Told once for each. */
  | { readonly kind: 'stuck'; readonly delivery: Delivery; readonly abandonedMs: number }
  /**
   * A task at its last permitted delivery waits for its turn to start, or starts: alone in this process, or beside others.
   * If the process dies now, it may be what killed it.
   */
  | { readonly kind: 'suspect'; readonly delivery: Delivery; readonly now: 'held' | 'alone' | 'beside' }
  /** Taken over from a worker whose lease lapsed, and that one's name; or from one that handed it back, without a name. */
  | { readonly kind: 'reclaimed'; readonly delivery: Delivery; readonly previousOwner: string | undefined }
  | { readonly kind: 'payload-deleted'; readonly queue: string; readonly count: number }
  /** Dead letters were dropped by retention: they were too old, or too many. */
  | { readonly kind: 'dead-letters-dropped'; readonly queue: string; readonly count: number }
  | { readonly kind: 'redis-error'; readonly queue: string; readonly operation: string; readonly error: Error }
  | { readonly kind: 'redis-recovered'; readonly queue: string; readonly operation: string };

/** Hears what a worker does. Must not throw; a listener that does is ignored. */
export interface WorkerObserver {
  observe(event: WorkerEvent): void;
}

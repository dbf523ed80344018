import type { TaskOutcome } from '../task/task-outcome.js';
import type { Delivery, SettleReply } from '../contracts/work-store.interface.js';
import type { OfDelivery, TaskEvents } from './task-event.interface.js';

/** An event of a worker about one delivery: what {@link TaskEvents} has beside the delivery stands here as it is. */
type OfRun<K extends keyof TaskEvents> = {
  readonly [N in K]: { readonly kind: N; readonly delivery: Delivery } & Omit<TaskEvents[N], keyof OfDelivery>;
}[K];

/** An event of a worker about its queue. */
type OfQueue<K extends keyof TaskEvents> = { readonly [N in K]: { readonly kind: N } & TaskEvents[N] }[K];

/** What a worker tells about its work, in the objects it has at hand; `facts.ts` makes words of it. Discriminated by `kind`. */
export type WorkerEvent =
  | { readonly kind: 'started'; readonly delivery: Delivery }
  | SettledEvent
  | { readonly kind: 'lease-lost'; readonly delivery: Delivery }
  | OfRun<'reclaimed' | 'abandoned' | 'stuck' | 'suspect'>
  | OfQueue<'lease-late' | 'payload-deleted' | 'dead-letters-dropped' | 'redis-recovered'>
  | { readonly kind: 'redis-error'; readonly queue: string; readonly operation: string; readonly error: Error };

/** A delivery came to its end, and Redis has answered. */
export interface SettledEvent<O extends TaskOutcome = TaskOutcome> {
  readonly kind: 'settled';
  readonly delivery: Delivery;
  readonly outcome: O;
  readonly reply: SettleReply;
  /** Milliseconds from the start of the attempt to its end, without the settlement; 0 for one that never started. */
  readonly durationMs: number;
}

/** Hears what a worker does. Must not throw; a listener that does is ignored. */
export interface WorkerObserver {
  observe(event: WorkerEvent): void;
}

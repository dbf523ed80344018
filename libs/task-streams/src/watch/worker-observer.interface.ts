import type { TaskOutcome } from '../task/task-outcome.js';
import type { Delivery, SettleReply } from '../contracts/work-store.interface.js';
import type { OfDelivery, OfEnd, OfTask, TaskEvents } from './task-event.interface.js';

/** The kinds of events that say what `Has` says and not what `Not` says. */
type Kinds<Has, Not> = {
  readonly [K in keyof TaskEvents]: TaskEvents[K] extends Not ? never : TaskEvents[K] extends Has ? K : never;
}[keyof TaskEvents];

/** Told as they are about one delivery: what {@link TaskEvents} has beside the delivery stands here. */
type OfRun = {
  readonly [K in Exclude<Kinds<OfDelivery, OfEnd>, 'started' | 'lease-lost'>]: {
    readonly kind: K;
    readonly delivery: Delivery;
  } & Omit<TaskEvents[K], keyof OfDelivery>;
};

/** Told as they are about a queue. */
type OfQueue = {
  readonly [K in Exclude<Kinds<{ readonly queue: string }, OfTask>, 'redis-error'>]: {
    readonly kind: K;
  } & TaskEvents[K];
};

/** What a worker tells about its work, in the objects it has at hand; `facts.ts` names it. Discriminated by `kind`. */
export type WorkerEvent =
  | { readonly kind: 'started'; readonly delivery: Delivery }
  | { readonly kind: 'lease-lost'; readonly delivery: Delivery }
  | SettledEvent
  | OfRun[keyof OfRun]
  | OfQueue[keyof OfQueue]
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

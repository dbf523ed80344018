import type { WhoAndWhy } from '../task/who-and-why.js';

/** What the health check needs to know about a queue. Bounded reads only. */
export interface QueueDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly dead: number;
  /** Milliseconds the oldest waiting task has waited, 0 where none waits. */
  readonly oldestWaitingMs: number;
  /** Who paused it, when and why; absent where nobody did. */
  readonly paused?: WhoAndWhy;
}

/** What metrics need to know about a queue beside its depth. Bounded reads only. */
export interface QueueReport extends QueueDepth {
  /** Workers that were heard of within their lease, and those that were not. */
  readonly liveConsumers: number;
  readonly staleConsumers: number;
  /** The lag of the group as the server counts it; `undefined` where it cannot (entries were deleted out of order). */
  readonly lag: number | undefined;
  /** Milliseconds since anybody gave a sign of life for the oldest entry that is handed out; `undefined` where none is. */
  readonly oldestPendingIdleMs: number | undefined;
  /** Milliseconds since the oldest dead letter was set aside; `undefined` where there is none. */
  readonly oldestDeadMs: number | undefined;
  /** Consumer groups of the task stream beside the one of the workers: they lose every task that is settled. */
  readonly foreignGroups: number;
}

/** Looks at a queue more closely than a health check does. */
export interface QueueInspector {
  inspect(queue: string): Promise<QueueReport>;
}

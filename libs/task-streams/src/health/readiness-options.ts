/**
 * When a process is no longer ready. What is left out is not looked at.
 *
 * @publicApi
 */
export interface ReadinessThresholds {
  /** The longest the oldest waiting task of a queue may have waited, in milliseconds. */
  readonly maxOldestWaitingMs?: number;
  /** The most tasks of a queue that may wait. */
  readonly maxWaiting?: number;
  /** The most dead letters of a queue. */
  readonly maxDead?: number;
  /** The fewest workers of a queue, in all processes, that were heard of within the lease. */
  readonly minConsumers?: number;
  /** The queues to look at. Default: those this process works on. */
  readonly queues?: readonly string[];
}

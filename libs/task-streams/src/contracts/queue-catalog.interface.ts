/**
 * One worker of a queue, as Redis knows it.
 *
 * @publicApi
 */
export interface WorkerInfo {
  /** Its name in the group and in attempt histories. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** What tells it from others on the same host with the same process id. */
  readonly nonce: string;
  /** Deliveries that it holds. */
  readonly pendingCount: number;
  /** Milliseconds since its last sign of life: it read or claimed tasks, or renewed its leases. */
  readonly idleMs: number;
  /** Whether that is not longer ago than its lease; 30 seconds for one that has said nothing of itself. */
  readonly isLive: boolean;
  /** What it said last of itself, with the renewal of its leases; `undefined` before it did so first. */
  readonly heartbeat: WorkerHeartbeat | undefined;
}

/**
 * What a worker says of itself, a third of the lease apart.
 *
 * @publicApi
 */
export interface WorkerHeartbeat {
  /** When, by the clock of Redis. */
  readonly at: Date;
  /** The version of this library. */
  readonly version: string;
  /** Tasks it runs at this moment, and at the most. */
  readonly runningCount: number;
  readonly concurrency: number;
  /** Milliseconds of its lease. */
  readonly leaseMs: number;
  /** When its process began to use Redis, by its own clock. */
  readonly startedAt: Date;
}

/** How busy a worker is. */
export interface WorkerLoad {
  readonly running: number;
  readonly concurrency: number;
}

/** Knows which queues there are, and who works on them. */
export interface QueueCatalog {
  /** The names of queues that were used lately, newest first. */
  listQueues(max: number): Promise<string[]>;
  /** The workers of a queue, up to so many. */
  listWorkers(queue: string, max: number): Promise<WorkerInfo[]>;
  /**
   * Whether the completion of a task of `queue` can add a task to `next` in one step. False only on a Cluster, for queues of
   * different slots.
   */
  canFollow(queue: string, next: string): boolean;
}

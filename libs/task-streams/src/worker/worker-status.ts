/** What one queue's loop is doing, for health checks. Times are of a monotonic clock, in milliseconds. */
export interface QueueLoopStatus {
  readonly queue: string;
  readonly concurrency: number;
  readonly runningCount: number;
  /** Handlers that went on after their timeout. */
  readonly abandonedCount: number;
  /** Those of them that have gone on for longer than `timing.stuckAfterMs`. */
  readonly stuckCount: number;
  /** Tasks at their last permitted delivery that wait for their turn to start. */
  readonly heldSuspectCount: number;
  /** Tasks at their last permitted delivery that run: the process may die of one of them. */
  readonly runningSuspectCount: number;
  /** Somebody paused the queue. */
  readonly isPaused: boolean;
  /** Milliseconds since the fetch loop turned last; a failed fetch is a turn too. */
  readonly sinceLastTurnMs: number;
  /** Milliseconds since Redis answered a fetch last. */
  readonly sinceLastFetchMs: number;
  /** The last error of Redis, `undefined` while all is well. */
  readonly lastError: string | undefined;
  /** What fails now. */
  readonly troubles: readonly OpenTrouble[];
}

/** An operation that fails. */
export interface OpenTrouble {
  readonly operation: string;
  readonly error: Error;
  /** Milliseconds since it worked last or was tried first. */
  readonly sinceMs: number;
}

export interface WorkerStatus {
  readonly state: 'idle' | 'running' | 'draining' | 'stopped';
  readonly queues: readonly QueueLoopStatus[];
}

/** What became of the tasks that the workers held when they were stopped, beside those that ended. */
export interface DrainReport {
  /** Tasks that were released for other workers. */
  readonly releasedCount: number;
  /** Tasks whose end or release Redis was not told: they are left to their lease. */
  readonly unsettledCount: number;
}

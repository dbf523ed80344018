import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * The attempt took longer than its `timeoutMs`. `ctx.signal` is aborted with this error, the attempt counts as failed
 * and the slot is free again; a result that comes later is ignored.
 *
 * @publicApi
 */
@ErrorName('TaskTimeoutError')
export class TaskTimeoutError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_TIMEOUT';

  constructor(taskName: string, timeoutMs: number) {
    super(
      `Task "${taskName}" took longer than its timeout of ${timeoutMs} ms. Raise timeoutMs on its @TaskHandler, ` +
        'or make the handler stop when ctx.signal aborts.',
    );
  }
}

/**
 * This worker no longer owns the task: its lease lapsed and another worker took over. `ctx.signal` is aborted with this
 * error and whatever the handler still returns is refused.
 *
 * @publicApi
 */
@ErrorName('LeaseLostError')
export class LeaseLostError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_LEASE_LOST';

  constructor(taskId: string) {
    super(
      `Task ${taskId}: another worker took over after the lease lapsed (a blocked event loop, a paused process or a ` +
        'lost network do this). Stop writing: what this attempt returns is ignored.',
    );
  }
}

/** What kept a lease from being renewed: a blocked event loop (or a paused process), or Redis and the way to it. */
export type LateCause = 'event-loop' | 'redis';

/**
 * The lease could not be renewed for so long that another worker may take the task over at any moment. `ctx.signal` is
 * aborted with this error. A result that the handler returns all the same counts if nobody has taken over; if it gives up,
 * the task is handed back and no attempt is counted.
 *
 * @publicApi
 */
@ErrorName('LeaseUncertainError')
export class LeaseUncertainError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_LEASE_UNCERTAIN';

  constructor(
    taskId: string,
    sinceMs: number,
    readonly why: LateCause,
  ) {
    const reason = why === 'redis' ? 'Redis did not answer' : 'the event loop was blocked or the process paused';
    super(
      `Task ${taskId}: its lease was not renewed for ${Math.round(sinceMs)} ms (${reason}), so another worker may take ` +
        'over now. Stop writing: the task runs again where it was not completed.',
    );
  }
}

/**
 * The worker is stopping and its shutdown timeout ran out. The task is handed back and another worker runs it again.
 *
 * @publicApi
 */
@ErrorName('WorkerStoppingError')
export class WorkerStoppingError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_WORKER_STOPPING';

  constructor(shutdownTimeoutMs: number) {
    super(
      `The worker is stopping and its shutdown timeout of ${shutdownTimeoutMs} ms ran out: the task is handed back ` +
        'and runs again elsewhere.',
    );
  }
}

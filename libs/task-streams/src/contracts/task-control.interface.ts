import type { TaskState } from '../task/task-state.js';

/** What a canceller says. */
export interface CancelOrder {
  readonly reason: string | undefined;
  readonly by: string | undefined;
  /** Milliseconds the record of the cancelled task is kept. */
  readonly recordMs: number;
}

/**
 * What became of a cancel.
 *
 * - `cancelled`: it did not run and will not.
 * - `requested`: it runs; its handler is told. It ends as `cancelled` unless it completes all the same.
 * - `already-ended`: there was nothing left to cancel.
 * - `unknown`: no such task is known, or no longer.
 *
 * @publicApi
 */
export interface CancelReply {
  readonly kind: 'cancelled' | 'requested' | 'already-ended' | 'unknown';
  /** The state it was in; `undefined` where it is unknown. */
  readonly state: TaskState | undefined;
}

/** Stops tasks. */
export interface TaskControl {
  /** Cancels a task, or asks whoever runs it to stop. Safe to repeat: the first request stands. */
  cancel(queue: string, id: string, order: CancelOrder): Promise<CancelReply>;
}

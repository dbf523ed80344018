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

/**
 * What became of a new time for a task.
 *
 * - `rescheduled`: it is run at `runAt`.
 * - `promoted`: it waits for a worker now.
 * - `not-delayed`: it does not wait for a time; `state` tells what it is at.
 * - `unknown`: no such task is known, or no longer.
 *
 * @publicApi
 */
export type RescheduleReply =
  | { readonly kind: 'rescheduled'; readonly runAt: Date }
  | { readonly kind: 'promoted' }
  | { readonly kind: 'not-delayed'; readonly state: TaskState }
  | { readonly kind: 'unknown' };

/** Stops tasks, and moves those that wait for a time. */
export interface TaskControl {
  /** Cancels a task, or asks whoever runs it to stop. Safe to repeat: the first request stands. */
  cancel(queue: string, id: string, order: CancelOrder): Promise<CancelReply>;
  /** Gives a delayed or retrying task another time; a delay and a time of 0 let it run now. */
  reschedule(
    queue: string,
    id: string,
    due: { readonly delayMs: number; readonly runAt: number },
  ): Promise<RescheduleReply>;
}

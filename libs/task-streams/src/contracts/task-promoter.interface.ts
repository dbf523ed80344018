import type { CancelRequest } from '../task/cancel-request.js';

/** Moves due tasks from the delayed set into the stream. */
export interface TaskPromoter {
  /** Moves up to one batch. */
  promote(queue: string): Promise<PromoteReply>;
}

/** A running task that somebody asked to stop. */
export interface MarkedEntry {
  readonly entryId: string;
  readonly request: CancelRequest;
}

export interface PromoteReply {
  readonly promotedCount: number;
  /** `<task id>: <why>` of a task that cannot be moved, `undefined` where all can. It is tried again later. */
  readonly blocked: string | undefined;
  /** Nothing is to be handed out. */
  readonly isPaused: boolean;
  /** Running tasks of this queue, of any worker, that are to stop: up to a hundred of them. */
  readonly cancels: readonly MarkedEntry[];
  /** Milliseconds until the next task is due, 0 where more are due now, `undefined` where none waits. */
  readonly nextInMs: number | undefined;
}

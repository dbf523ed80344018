import type { TaskRecord } from '../task/task-record.js';
import type { TaskState } from '../task/task-state.js';
import type { Ownership } from './work-store.interface.js';

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

/** Where tasks can be listed. */
export type ListablePlace = 'waiting' | 'active' | 'delayed' | 'dead';

export interface ListedTask {
  readonly id: string;
  readonly record: TaskRecord;
}

export interface ListedPage {
  readonly tasks: readonly ListedTask[];
  /** `undefined` at the end. */
  readonly cursor: string | undefined;
}

/**
 * One line that a handler wrote with `ctx.log()`.
 *
 * @publicApi
 */
export interface TaskLogLine {
  /** When, by the clock of the worker. */
  readonly at: Date;
  /** In which attempt, 1 for the first. */
  readonly attempt: number;
  readonly text: string;
}

/**
 * What can happen to a task.
 *
 * @publicApi
 */
export type TaskChangeKind =
  | 'enqueued'
  | 'started'
  | 'progress'
  | 'completed'
  | 'retrying'
  | 'deferred'
  | 'dead'
  | 'expired'
  | 'cancel-requested'
  | 'cancelled'
  | 'released'
  | 'rescheduled'
  | 'promoted';

/**
 * Something that happened to a task, in any process.
 *
 * @publicApi
 */
export interface TaskChange {
  readonly kind: TaskChangeKind;
  readonly queue: string;
  readonly taskId: string;
  /** The name of the task. */
  readonly name: string;
  /** When it was written down, by the clock of Redis. */
  readonly at: Date;
  /** Give it as `after` to go on behind this change, for instance the `Last-Event-ID` of a browser. */
  readonly cursor: string;
  /** More about it: the progress, the error and the delay of a retry, who cancelled it. `undefined` where there is nothing. */
  readonly details: unknown;
}

/** A change that is to be written down. */
export interface NewChange extends Pick<TaskChange, 'kind' | 'taskId' | 'name'> {
  readonly details?: unknown;
}

/** Single tasks: what became of them, and what people and handlers say about them. */
export interface TaskStore {
  get(queue: string, id: string): Promise<TaskRecord | undefined>;
  /** Writes the progress of a running task; `false` where it is no longer ours. */
  reportProgress(owner: Ownership, json: string): Promise<boolean>;
  /** Cancels a task, or asks its worker to stop. Safe to repeat: the first request stands. */
  cancel(queue: string, id: string, order: CancelOrder): Promise<CancelReply>;
  /** Gives a delayed or retrying task another time; a delay and a time of 0 let it run now. */
  reschedule(
    queue: string,
    id: string,
    due: { readonly delayMs: number; readonly runAt: number },
  ): Promise<RescheduleReply>;
  list(queue: string, place: ListablePlace, limit: number, cursor: string | undefined): Promise<ListedPage>;
  appendLog(owner: { readonly queue: string; readonly taskId: string }, lines: readonly TaskLogLine[]): Promise<void>;
  /** Oldest first. */
  readLog(queue: string, id: string): Promise<TaskLogLine[]>;
  /** True once the connections of this process are closed: nothing is read any more. */
  readonly isClosed: boolean;
  /** Whether this process writes down what it does to the tasks of a queue. */
  hasChanges(queue: string): boolean;
  /** Writes changes down soon. Never fails: a change that cannot be written is lost. */
  publish(queue: string, change: NewChange): void;
  /** Changes behind a cursor, oldest first. */
  readChanges(queue: string, after: string, max: number): Promise<TaskChange[]>;
  /** The cursor of the newest change. */
  lastChange(queue: string): Promise<string>;
}

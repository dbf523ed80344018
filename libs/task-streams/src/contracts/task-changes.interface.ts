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

/** Writes down what happens to the tasks of queues whose option `events` is on, and reads it. */
export interface TaskChangeLog {
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

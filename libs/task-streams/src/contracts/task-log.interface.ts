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

/** Keeps the last lines that handlers wrote. */
export interface TaskLog {
  appendLog(owner: { readonly queue: string; readonly taskId: string }, lines: readonly TaskLogLine[]): Promise<void>;
  /** Oldest first. */
  readLog(queue: string, id: string): Promise<TaskLogLine[]>;
}

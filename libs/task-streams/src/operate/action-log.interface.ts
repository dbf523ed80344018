/** Something that somebody did by hand, and that changed something. */
export interface ManualAction {
  readonly action:
    'cancel' | 'reschedule' | 'promote' | 'pause' | 'resume' | 'drain' | 'purge' | 'forget-id' | 'forget-key';
  readonly queue: string;
  /** Who did it; `undefined` where nobody said. */
  readonly actor: string | undefined;
  readonly reason: string | undefined;
  /** To which task; `undefined` for the whole queue, or a key. */
  readonly taskId?: string;
  /** To which idempotency key, of the tasks of `taskName`. */
  readonly key?: string;
  readonly taskName?: string;
  /** How many tasks it removed from where. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** Keeps who did what by hand. Called after it was done; what it throws is logged and changes nothing. */
export interface ActionLog {
  record(action: ManualAction): Promise<void> | void;
}

/** The {@link ActionLog}; the default writes to the audit log of the queue, and a log line. Bind your own to replace it. */
export const ACTION_LOG = Symbol.for('nestjs-task-streams:action-log');

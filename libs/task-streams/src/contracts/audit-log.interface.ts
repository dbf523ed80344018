/** What somebody is about to do to a queue, or has done. */
export interface AuditAction {
  /** What is done, such as `redrive`, `discard`, `cancel`. */
  readonly action: string;
  /** Who does it. */
  readonly actor: string;
  /** Why; empty where nobody said. */
  readonly reason: string;
  /** To what: the filter or the ids. Becomes JSON, cut at 2000 characters. */
  readonly scope: unknown;
  /** What the steps of one action have in common; see `newOperation`. */
  readonly operation: string;
}

/**
 * One action of somebody on a queue. An action of many steps has one record, with the counts so far.
 *
 * @publicApi
 */
export interface AuditRecord {
  /** Its place in the log. */
  readonly id: string;
  readonly queue: string;
  /** When it was written, or last changed, in milliseconds since 1970 by the clock of Redis. */
  readonly at: number;
  readonly action: string;
  readonly actor: string;
  readonly reason: string;
  /** The filter or the ids; text where it was cut. */
  readonly scope: unknown;
  readonly operation: string;
  /** How many tasks came to what, such as `{ moved: 3, live: 1 }`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** @publicApi */
export interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** Give it to the next call to go on; `undefined` at the end. */
  readonly cursor: string | undefined;
}

/** Keeps the last 10 000 or so actions of a queue. */
export interface AuditLog {
  /**
   * Writes an action down; answers the id of its record. For actions whose script does not write it itself.
   *
   * @param earlierId The record of the same action that this one takes the place of.
   */
  recordAction(
    queue: string,
    action: AuditAction,
    counts: Readonly<Record<string, number>>,
    earlierId?: string,
  ): Promise<string>;
  /** Newest first. */
  listActions(queue: string, max: number, cursor: string | undefined): Promise<AuditPage>;
}

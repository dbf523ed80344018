import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** One line of a {@link Ledger}. */
export interface LedgerNote {
  /** `start`, `effect`, `aborted`, or the kind of an event of the worker. */
  readonly what: string;
  /** The task it is about; empty where it is about none. */
  readonly id: string;
  readonly at: number;
  readonly pid: number;
  readonly attempt?: number;
  readonly deliveryCount?: number;
  readonly key?: string;
  /** The worker from which it was taken over. */
  readonly previousOwner?: string;
  readonly detail?: string;
}

/**
 * What really happened, written outside the Redis under test: a file of lines that survives whoever wrote them, because
 * the system has each line when `note` returns.
 */
export class Ledger {
  constructor(readonly file: string) {}

  note(what: string, id: string, more: Partial<LedgerNote> = {}): void {
    appendFileSync(this.file, `${JSON.stringify({ what, id, at: Date.now(), pid: process.pid, ...more })}\n`);
  }

  all(): LedgerNote[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as LedgerNote);
  }

  of(what: string, id?: string): LedgerNote[] {
    return this.all().filter((note) => note.what === what && (id === undefined || note.id === id));
  }

  count(what: string, id?: string): number {
    return this.of(what, id).length;
  }

  /** How many tasks had the effect, and how many effects there were: equal where nothing was done twice. */
  effects(): { readonly tasks: number; readonly effects: number } {
    const notes = this.of('effect');
    return { tasks: new Set(notes.map((note) => note.id)).size, effects: notes.length };
  }
}

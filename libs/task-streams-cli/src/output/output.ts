import { once } from 'node:events';
import type { WriteStream } from 'node:tty';
import { cleanJson } from './clean.js';
import { paintFor, type Paint } from './colour.js';
import { tableLines, type Cell, type Column } from './table.js';

type Stream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>;

const DEFAULT_WIDTH = 80;

/** Where answers and remarks go. Answers go to one stream and everything else to another, so that answers can be piped. */
export class Output {
  readonly paint: Paint;
  readonly paintNote: Paint;

  constructor(
    /** Answers as JSON instead of text. */
    readonly isJson: boolean,
    private readonly answers: Stream = process.stdout,
    private readonly notes: Stream = process.stderr,
  ) {
    this.paint = paintFor(answers);
    this.paintNote = paintFor(notes);
  }

  get isTerminal(): boolean {
    return this.answers.isTTY === true;
  }

  /** Whether somebody sees the remarks as they come. */
  get isNoteTerminal(): boolean {
    return this.notes.isTTY === true;
  }

  /** Columns for an answer; Infinity where it is not looked at. */
  get width(): number {
    // Some terminals, of `script` and of build servers, say 0.
    return this.isTerminal ? this.answers.columns || DEFAULT_WIDTH : Infinity;
  }

  get rows(): number {
    return this.answers.rows || 24;
  }

  /** A line of the answer, as it is. Waits where the reader is slow. */
  async line(text = ''): Promise<void> {
    await this.raw(`${text}\n`);
  }

  /** Part of the answer, as it is. */
  async raw(text: string): Promise<void> {
    if (!this.answers.write(text)) await once(this.answers, 'drain');
  }

  /** A value as JSON on one line, or laid out where somebody looks at it. */
  async json(value: unknown): Promise<void> {
    await this.line(cleanJson(JSON.stringify(value, undefined, this.isTerminal ? 2 : undefined)));
  }

  /** A value as JSON on one line, always: one of many. */
  async jsonLine(value: unknown): Promise<void> {
    await this.line(cleanJson(JSON.stringify(value)));
  }

  /** Rows under titles, cut to the terminal; whole where it is none. */
  async table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Promise<void> {
    for (const line of this.tableLines(columns, rows)) await this.line(line);
  }

  tableLines(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string[] {
    return tableLines(columns, rows, { width: this.width, paint: this.paint });
  }

  /** A remark beside the answer. */
  note(text: string): void {
    this.notes.write(`${text}\n`);
  }

  /** Writes over the line of remarks it stands in. */
  renote(text: string): void {
    this.notes.write(`\r${text}\u001b[K`);
  }
}

import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { LedgerLine, NewLine } from './ledger-lines.js';

/**
 * Writes the file of one process. Each line is one write to a file that is only appended to, so that a SIGKILL between
 * two lines loses neither.
 */
export class LedgerWriter {
  readonly #file: number;

  constructor(dir: string, name: string) {
    mkdirSync(dir, { recursive: true });
    this.#file = openSync(path.join(dir, `${name}-${process.pid}-${Date.now()}.ndjson`), 'a');
  }

  write(line: NewLine): void {
    writeSync(this.#file, `${JSON.stringify({ t: Date.now(), pid: process.pid, ...line })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** All lines of all processes, by time. */
export function readLedger(dir: string): LedgerLine[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(path.join(dir, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerLine)
    .sort((a, b) => a.t - b.t);
}

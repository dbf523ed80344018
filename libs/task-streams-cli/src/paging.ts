import type { Command } from 'commander';
import type { Output } from './output/output.js';
import { wholeNumber } from './parse/values.js';

export interface PagingOptions {
  readonly limit: number;
  readonly after?: string | undefined;
}

const DEFAULT_LIMIT = 50;

/** Adds the options of a list that comes in pages. */
export function addPaging(command: Command, most = 1_000): Command {
  return command
    .option('--limit <count>', `the most of a page, 1 to ${most}`, wholeNumber(1, most), DEFAULT_LIMIT)
    .option('--after <cursor>', 'where the last page ended');
}

/** Says how to go on, beside the answer. */
export function noteNextPage(out: Output, cursor: string | undefined): void {
  if (cursor === undefined) return;
  const quoted = /^[\w.:-]+$/.test(cursor) ? cursor : `'${cursor.replaceAll("'", "'\\''")}'`;
  out.note(`There is more: go on with --after ${quoted}`);
}

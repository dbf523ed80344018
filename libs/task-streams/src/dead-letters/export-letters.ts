import { isUtf8 } from 'node:buffer';
import type { DeadLetterStore, RawDeadLetter } from '../contracts/dead-letter-store.interface.js';
import { parseQuery, type DeadLetterQuery } from './dead-letter-query.js';

/** The version of the lines that are written. */
export const EXPORT_FORMAT = 1;

/** One line of an export. */
export interface ExportedLetter {
  readonly format: typeof EXPORT_FORMAT;
  readonly queue: string;
  readonly entryId: string;
  /** For people and for grep; what counts is in `fields`. */
  readonly taskId: string;
  readonly name: string;
  readonly reason: string;
  /** Names and values as they are stored, alternating: text, or bytes that are no text. */
  readonly fields: readonly ExportedValue[];
}

export type ExportedValue = string | { readonly base64: string };

const AT_A_TIME = 50;

/** Dead letters as lines of JSON, oldest first, each with its line break. */
export async function* exportLetters(
  store: Pick<DeadLetterStore, 'readRaw'>,
  queue: string,
  query: DeadLetterQuery,
): AsyncGenerator<string> {
  const { range, matches } = parseQuery(query);
  for (let cursor: string | undefined; ;) {
    const raw = await store.readRaw(queue, AT_A_TIME, cursor, range);
    for (const one of raw) if (matches(one.letter)) yield `${JSON.stringify(exported(queue, one))}\n`;
    cursor = raw.at(-1)?.entryId;
    if (raw.length < AT_A_TIME) return;
  }
}

function exported(queue: string, { entryId, fields, letter }: RawDeadLetter): ExportedLetter {
  const { taskId, name, reason } = letter;
  return { format: EXPORT_FORMAT, queue, entryId, taskId, name, reason, fields: fields.map(exportedValue) };
}

/** A payload that is UTF-8 and yet no JSON is kept as bytes too: a tool between here and there may mend what it reads. */
function exportedValue(value: Buffer, i: number, fields: readonly Buffer[]): ExportedValue {
  const isBody = i % 2 === 1 && fields[i - 1]?.toString('latin1') === 'body';
  const text = isUtf8(value) ? value.toString() : undefined;
  return text === undefined || (isBody && !isJson(text)) ? { base64: value.toString('base64') } : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

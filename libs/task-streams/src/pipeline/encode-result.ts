import type { ResolvedOptions } from '../options/resolved-options.js';
import type { StoredResult } from '../task/task-outcome.js';

type ResultRetention = Pick<ResolvedOptions['retention'], 'results' | 'maxResultBytes'>;

/**
 * The result of a handler as it is kept: JSON text, or the reason why it is left out. Never throws: the work is done, and
 * a result that cannot be written must not make it run again. `undefined` is kept as `null`.
 */
export function encodeResult(value: unknown, retention: ResultRetention): StoredResult {
  if (!retention.results) return { kind: 'omitted', reason: 'off' };
  const json = value === undefined ? 'null' : toJson(value);
  if (json === undefined) return { kind: 'omitted', reason: 'not-serializable' };
  return isLargerThan(json, retention.maxResultBytes)
    ? { kind: 'omitted', reason: 'too-large' }
    : { kind: 'stored', json };
}

/** The JSON of a value, `undefined` where it has none. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text has more bytes as UTF-8. */
export function isLargerThan(text: string, maxBytes: number): boolean {
  // A UTF-16 unit has one to three bytes: most texts need not be measured.
  if (text.length > maxBytes) return true;
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

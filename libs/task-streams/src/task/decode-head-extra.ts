import type { BackoffCurve } from './backoff.js';
import type { DeadLetterReason } from './dead-letter.js';
import type { MessageExpiry, MessageOptions, TaskHeaders } from './envelope.js';
import { BACKOFF_BOUNDS, BACKOFF_TYPES, JITTERS, MESSAGE_BOUNDS, isWithin, type Bounds } from './limits.js';

/** What the JSON in the head of an entry turns out to be. */
export type DecodedHeadExtra =
  | { readonly kind: 'extra'; readonly headers: TaskHeaders; readonly options: MessageOptions }
  | { readonly kind: 'malformed'; readonly reason: DeadLetterReason; readonly detail: string };

/** The most characters that are parsed: for the message options, and for each header of the longest kind, escaped. */
const MAX_OPTIONS_LENGTH = 65_536;
const MAX_HEADER_LENGTH = 10_000;
/** The numbers of a message that say how long it is worth running, and those of a curve. */
const EXPIRY = ['ttlMs', 'deadlineMs', 'deadline', 'delayMs', 'runAt'] as const satisfies (keyof MessageExpiry)[];
const CURVE = ['delayMs', 'factor', 'maxDelayMs'] as const satisfies (keyof BackoffCurve)[];

const NO_HEADERS: TaskHeaders = Object.freeze(Object.create(null) as Record<string, string>);
const NO_OPTIONS: MessageOptions = Object.freeze({});
const EMPTY: DecodedHeadExtra = Object.freeze({ kind: 'extra', headers: NO_HEADERS, options: NO_OPTIONS });

/**
 * Reads the JSON in the head of an entry: headers and options, or nothing. A value that is out of bounds is ignored, so that a
 * forged number cannot make a task immortal; a head that is no JSON object makes the task malformed.
 *
 * @internal
 */
export function decodeHeadExtra(text: string | undefined, maxHeaders: number): DecodedHeadExtra {
  if (!text) return EMPTY;
  const maxLength = MAX_OPTIONS_LENGTH + maxHeaders * MAX_HEADER_LENGTH;
  if (text.length > maxLength) {
    return malformed('payload-too-large', `the head has ${text.length} characters; the limit is ${maxLength}`);
  }
  const head = parseObject(text);
  if (head === undefined) return malformed('invalid-json', 'the last part of the head is not a JSON object');
  const headers = asObject(head['headers']);
  const options = asObject(head['options']);
  return {
    kind: 'extra',
    headers: headers ? readHeaders(headers, maxHeaders) : NO_HEADERS,
    options: options ? readOptions(options) : NO_OPTIONS,
  };
}

function malformed(reason: DeadLetterReason, detail: string): DecodedHeadExtra {
  return { kind: 'malformed', reason, detail };
}

function readHeaders(raw: Record<string, unknown>, maxHeaders: number): TaskHeaders {
  // Without a prototype, so that a header called "__proto__" or "constructor" is only a header.
  const headers = Object.create(null) as Record<string, string>;
  let count = 0;
  for (const [name, value] of Object.entries(raw)) {
    if (typeof value !== 'string') continue;
    if (count >= maxHeaders) break;
    headers[name] = value;
    count += 1;
  }
  return Object.freeze(headers);
}

function readOptions(raw: Record<string, unknown>): MessageOptions {
  const { attempts, timeoutMs } = raw;
  const backoff = readBackoff(raw['backoff']);
  const expiry = asObject(raw['expiry']);
  return {
    ...(isWithin(MESSAGE_BOUNDS.attempts, attempts) && Number.isInteger(attempts) ? { attempts } : {}),
    ...(isWithin(MESSAGE_BOUNDS.timeoutMs, timeoutMs) ? { timeoutMs } : {}),
    ...(backoff ? { backoff } : {}),
    ...(expiry ? { expiry: readNumbers(expiry, EXPIRY, MESSAGE_BOUNDS) } : {}),
  };
}

function readBackoff(raw: unknown): BackoffCurve | readonly number[] | undefined {
  if (Array.isArray(raw)) {
    const isDelay = (value: unknown): boolean => isWithin(BACKOFF_BOUNDS.delayMs, value);
    return isWithin(BACKOFF_BOUNDS.length, raw.length) && raw.every(isDelay) ? (raw as number[]) : undefined;
  }
  const curve = asObject(raw);
  const type = BACKOFF_TYPES.find((known) => known === curve?.['type']);
  if (!curve || type === undefined) return undefined;
  const jitter = JITTERS.find((known) => known === curve['jitter']);
  return { type, ...readNumbers(curve, CURVE, BACKOFF_BOUNDS), ...(jitter === undefined ? {} : { jitter }) };
}

/** The numbers of these names that are within their bounds. */
function readNumbers<K extends string>(
  raw: Record<string, unknown>,
  names: readonly K[],
  bounds: Readonly<Record<K, Bounds>>,
): { readonly [N in K]?: number } {
  const found: { [N in K]?: number } = {};
  for (const name of names) {
    const value = raw[name];
    if (isWithin(bounds[name], value)) found[name] = value;
  }
  return found;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

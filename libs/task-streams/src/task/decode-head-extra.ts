import type { BackoffCurve } from './backoff.js';
import type { DeadLetterReason } from './dead-letter.js';
import type { MessageExpiry, MessageOptions, TaskHeaders } from './envelope.js';

/** What the JSON in the head of an entry turns out to be. */
export type DecodedHeadExtra =
  | { readonly kind: 'extra'; readonly headers: TaskHeaders; readonly options: MessageOptions }
  | { readonly kind: 'malformed'; readonly reason: DeadLetterReason; readonly detail: string };

/** The most characters that are parsed: for the message options, and for each header of the longest kind, escaped. */
const MAX_OPTIONS_LENGTH = 65_536;
const MAX_HEADER_LENGTH = 10_000;
const MAX_ATTEMPTS = 1_000;
/** The longest wait that a Node.js timer can be set to, in milliseconds. */
const MAX_TIMEOUT_MS = 2_147_483_647;
/** Ten years, in milliseconds. */
const MAX_DELAY_MS = 315_360_000_000;
/** The last moment a Date can be, in milliseconds since 1970. */
const MAX_TIME = 8_640_000_000_000_000;
const MAX_DELAYS = 1_000;
const MAX_FACTOR = 1_000;

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
    ...(isWhole(attempts, 1, MAX_ATTEMPTS) ? { attempts } : {}),
    ...(isNumber(timeoutMs, 1, MAX_TIMEOUT_MS) ? { timeoutMs } : {}),
    ...(backoff ? { backoff } : {}),
    ...(expiry ? { expiry: readExpiry(expiry) } : {}),
  };
}

function readExpiry(raw: Record<string, unknown>): MessageExpiry {
  const { ttlMs, deadlineMs, deadline, delayMs, runAt } = raw;
  return {
    ...(isDelay(ttlMs) ? { ttlMs } : {}),
    ...(isDelay(deadlineMs) ? { deadlineMs } : {}),
    ...(isTime(deadline) ? { deadline } : {}),
    ...(isDelay(delayMs) ? { delayMs } : {}),
    ...(isTime(runAt) ? { runAt } : {}),
  };
}

function readBackoff(raw: unknown): BackoffCurve | readonly number[] | undefined {
  if (Array.isArray(raw)) {
    const isList = raw.length > 0 && raw.length <= MAX_DELAYS && raw.every(isDelay);
    return isList ? (raw as number[]) : undefined;
  }
  const curve = asObject(raw);
  const type = curve?.['type'];
  if (!curve || (type !== 'exponential' && type !== 'linear' && type !== 'fixed')) return undefined;
  const { delayMs, factor, maxDelayMs, jitter } = curve;
  return {
    type,
    ...(isDelay(delayMs) ? { delayMs } : {}),
    ...(isNumber(factor, 1, MAX_FACTOR) ? { factor } : {}),
    ...(isDelay(maxDelayMs) ? { maxDelayMs } : {}),
    ...(jitter === 'equal' || jitter === 'full' || jitter === 'none' ? { jitter } : {}),
  };
}

function isDelay(value: unknown): value is number {
  return isNumber(value, 0, MAX_DELAY_MS);
}

function isTime(value: unknown): value is number {
  return isNumber(value, 0, MAX_TIME);
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return isNumber(value, min, max) && Number.isInteger(value);
}

function isNumber(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
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

import { InvalidNameError } from './config-errors.js';

/** The most characters of a queue name, a task name, a task id or an idempotency key. */
export const MAX_NAME_LENGTH = 256;

/** The queue of a task that names none. */
export const DEFAULT_QUEUE = 'default';

const CONTROL_OR_SPACE = /[\s\p{Cc}]/u;

/**
 * Returns the queue name, or throws {@link InvalidNameError}. Braces are refused because all keys of a queue are kept in
 * one Cluster slot by writing the name in braces.
 */
export function requireQueueName(value: unknown): string {
  return requireName('Queue name', value, /[{}]/, 'braces');
}

/** Returns the task name, or throws {@link InvalidNameError}. A slash is refused: it ends the name inside lock keys. */
export function requireTaskName(value: unknown): string {
  return requireName('Task name', value, /\//, 'a slash');
}

/** Returns the task id, or throws {@link InvalidNameError}. */
export function requireTaskId(value: unknown): string {
  return requireName('Task id', value);
}

/**
 * Returns the idempotency key, or throws {@link InvalidNameError}. Spaces are allowed; text that is not well-formed
 * UTF-16 is refused, because two such keys can become the same bytes.
 */
export function requireIdempotencyKey(value: unknown): string {
  const key = requireText('Idempotency key', value);
  if (/\p{Cc}/u.test(key)) throw new InvalidNameError('Idempotency key', key, 'it contains a control character');
  return key;
}

/** What an explicit idempotency key is kept under: its tasks have one name. */
export function keyScope(taskName: string, key: string): string {
  return `${taskName}/${key}`;
}

/** Returns the id of an entry of a stream, or throws {@link InvalidNameError}. */
export function requireEntryId(what: string, value: unknown): string {
  if (typeof value === 'string' && /^\d{1,20}-\d{1,20}$/.test(value)) return value;
  throw new InvalidNameError(what, value, 'it must be the id of an entry, such as 1795973396952-0');
}

function requireName(what: string, value: unknown, forbidden?: RegExp, forbiddenName?: string): string {
  const name = requireText(what, value);
  if (CONTROL_OR_SPACE.test(name))
    throw new InvalidNameError(what, name, 'it contains white space or a control character');
  if (forbidden?.test(name)) throw new InvalidNameError(what, name, `it contains ${forbiddenName}`);
  return name;
}

function requireText(what: string, value: unknown): string {
  if (typeof value !== 'string') throw new InvalidNameError(what, value, 'it must be a string');
  if (value.length === 0 || value.length > MAX_NAME_LENGTH) {
    throw new InvalidNameError(what, value, `it must have 1 to ${MAX_NAME_LENGTH} characters and has ${value.length}`);
  }
  if (!value.isWellFormed()) throw new InvalidNameError(what, value, 'it contains half of a surrogate pair');
  return value;
}

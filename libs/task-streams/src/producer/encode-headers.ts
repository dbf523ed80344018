import { InvalidNameError } from '../task/config-errors.js';
import type { TaskHeaders } from '../task/envelope.js';

/** The most characters of the name and of the value of a header. */
const MAX_HEADER_NAME = 128;
const MAX_HEADER_VALUE = 4096;

/**
 * A checked copy of the headers, without a prototype, so that `__proto__` is a header like any other; `undefined` where
 * there are none.
 *
 * @throws InvalidNameError for anything but a plain object of strings, and for what is too long or too many.
 * @internal
 */
export function copyHeaders(headers: unknown, maxHeaders: number): TaskHeaders | undefined {
  if (headers === undefined) return undefined;
  const entries = Object.entries(requirePlainObject(headers));
  if (entries.length === 0) return undefined;
  if (entries.length > maxHeaders) {
    throw new InvalidNameError(
      'Headers',
      headers,
      `there are ${entries.length}, and limits.maxHeaders is ${maxHeaders}`,
    );
  }
  const copy = Object.create(null) as Record<string, string>;
  for (const [name, value] of entries) copy[requireHeaderName(name)] = requireHeaderValue(name, value);
  return copy;
}

/** A Map or the Headers of fetch have no members of their own: they would be lost without a word. */
function requirePlainObject(headers: unknown): object {
  const prototype: unknown =
    typeof headers === 'object' && headers !== null ? Object.getPrototypeOf(headers) : undefined;
  if (prototype === null || prototype === Object.prototype) return headers as object;
  throw new InvalidNameError('Headers', headers, 'they must be a plain object of strings, such as { tenant: "acme" }');
}

function requireHeaderName(name: string): string {
  if (name.length === 0 || name.length > MAX_HEADER_NAME) {
    throw new InvalidNameError(
      'Header name',
      name,
      `it must have 1 to ${MAX_HEADER_NAME} characters and has ${name.length}`,
    );
  }
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw new InvalidNameError('Header name', name, 'it contains a control character or half of a surrogate pair');
  }
  return name;
}

function requireHeaderValue(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new InvalidNameError(`Value of header "${name}",`, value, 'it must be a string');
  if (value.length > MAX_HEADER_VALUE) {
    throw new InvalidNameError(
      `Value of header "${name}",`,
      value,
      `it has ${value.length} characters; the limit is ${MAX_HEADER_VALUE}. Put it into the payload`,
    );
  }
  return value;
}

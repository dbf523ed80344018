/** What is always replaced. */
export const REDACTED_BY_DEFAULT: readonly string[] = [
  'password',
  'passwd',
  'secret',
  'token',
  'authorization',
  'cookie',
  'card',
];

const REDACTED = '[redacted]';
/** What lies deeper is left out: nobody reads it, and it must not be forgotten to look there. */
const MAX_DEPTH = 20;

/**
 * JSON data with the values of secret members replaced. A member is secret when its name, or one of the words of its name,
 * is among `names`.
 *
 * @param names In lower case.
 */
export function redact(value: unknown, names: readonly string[], depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item) => redact(item, names, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecret(name, names) ? REDACTED : redact(member, names, depth + 1),
    ]),
  );
}

/** `accessToken`, `X-Access-Token` and `access_token` have the words access and token. */
function isSecret(name: string, names: readonly string[]): boolean {
  if (names.includes(name.toLowerCase())) return true;
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s._-]+/);
  return words.some((word) => names.includes(word));
}

/** Words of names whose values are not for a log: `sentinelPassword`, `redis_url`, `API-TOKEN`. */
const SECRET_WORDS = new Set(
  (
    'password passwd pass pwd passphrase secret token auth authorization credential credentials cookie ' +
    'user username url uri href dsn private pem pfx cert ca'
  ).split(' '),
);

/** What a check itself leaves of a text that it hides. */
const HIDDEN = /^([a-z][a-z+]*:)?…$/;

/** Whether a text looks like a URL with a user or a password in it, however it is spelled. */
export function hasCredentials(text: string): boolean {
  return /\/\/[^@]*@/s.test(text);
}

/**
 * Whether the value of an option may be a secret: of a member whose name says so, or of any member of a connection, where the
 * usual mistake is the right value in the wrong place.
 *
 * @param option Its path, such as `connection.options.keyPrefix`.
 */
export function isSecretOption(option: string, value: unknown): boolean {
  if (typeof value === 'string' && HIDDEN.test(value)) return false;
  const words = option
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
  if (words.some((word) => SECRET_WORDS.has(word))) return true;
  return typeof value === 'string' && (words[0] === 'connection' || words[0] === 'redis');
}

/** A text with the user and the password of each URL in it replaced. */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/[^\s'"]*@/g, '//…@');
}

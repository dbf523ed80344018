import { InvalidOptionError } from '../task/config-errors.js';

/** What a URL says: where Redis is, who asks and which database, under the names that ioredis has for them. */
export interface RedisAddress {
  readonly host?: string;
  readonly port?: number;
  /** The unix socket, instead of host and port. */
  readonly path?: string;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly family?: number;
  readonly connectionName?: string;
  readonly tls?: true;
}

const EXAMPLES = 'redis://localhost:6379, rediss://user:password@host:6380/0 or unix:///run/redis.sock?db=0';
const ENCODE =
  'a user and a password must be percent-encoded (encodeURIComponent(password)): a % is %25, an @ is %40, a / is %2F, a # is %23';

/** Why no prefix of the client is taken. */
export const NO_KEY_PREFIX =
  'scripts build the names of their keys themselves, so a prefix set in ioredis would miss some; use the option prefix';

/** Which part of a URL may be given in its query instead. */
const IN_QUERY = ['db', 'username', 'password', 'family', 'connectionName'];

/**
 * Reads a URL of Redis. It is not left to the client, which takes every option of its own from the query, ahead of those that
 * decide about reliability, and tells of a wrong escape only when it connects.
 *
 * @throws InvalidOptionError that says what is wrong with it and shows nothing of it that may be a password.
 * @internal
 */
export function parseRedisUrl(option: string, value: unknown): RedisAddress {
  if (typeof value !== 'string') throw new InvalidOptionError(option, value, `give a URL as text: ${EXAMPLES}`);
  if (value.trim() === '') throw new InvalidOptionError(option, value, `it is empty; give a URL: ${EXAMPLES}`);
  const text = value.trim();
  const refuse: Refuse = (cure) => {
    throw new InvalidOptionError(option, hidden(text), cure);
  };
  const kind = /^(rediss?|unix|redis\+unix):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (kind === undefined) return refuse(`give a URL such as ${EXAMPLES}`);
  const isSocket = kind.endsWith('unix');
  const url = read(isSocket ? text.replace(NO_HOST, `$1${SOCKET}/`) : text, refuse);
  const decode = (escaped: string): string => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return refuse(ENCODE);
    }
  };
  const query = readQuery(option, url);
  if (!['4', '6', undefined].includes(query['family'])) refuse('its family is 4 or 6');
  const username = decode(url.username) || query['username'];
  const password = decode(url.password) || query['password'];
  const place = isSocket ? socketOf(url, decode, refuse) : hostOf(url);
  const db = databaseOf(isSocket ? '' : url.pathname.slice(1), query['db'], refuse);
  return {
    ...place,
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(db === undefined ? {} : { db }),
    ...(query['family'] === undefined ? {} : { family: Number(query['family']) }),
    ...(query['connectionName'] === undefined ? {} : { connectionName: query['connectionName'] }),
    ...(kind === 'rediss' ? { tls: true } : {}),
  };
}

type Refuse = (cure: string) => never;

/** Stands for the host that the URL of a socket does not have: the parser refuses a password without a host. */
const SOCKET = 'socket';
const NO_HOST = /^([a-z+]+:\/\/(?:[^/]*@)?)\//i;

function read(text: string, refuse: Refuse): URL {
  const [, authority = '', rest = ''] = /^[^:]+:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  // An @ behind the address was meant to be the end of the password, and a # means nothing to Redis.
  const isCut = (rest.includes('@') && !authority.includes('@')) || rest.includes('#');
  if (!isCut && URL.canParse(text)) return new URL(text);
  return refuse(/[@#]/.test(text) ? ENCODE : `give a URL such as ${EXAMPLES}`);
}

function hostOf({ hostname, port }: URL): RedisAddress {
  return {
    // The brackets of an IPv6 address are of the URL.
    host: hostname.replace(/^\[|\]$/g, '') || 'localhost',
    port: port === '' ? 6379 : Number(port),
  };
}

function socketOf({ host, pathname }: URL, decode: (text: string) => string, refuse: Refuse): RedisAddress {
  if (host !== SOCKET)
    refuse('the path of a unix socket is absolute, so it begins with a third slash: unix:///run/redis.sock');
  if (pathname === '' || pathname === '/') refuse('it has no path; give the one of the socket: unix:///run/redis.sock');
  return { path: decode(pathname) };
}

function databaseOf(path: string, query: string | undefined, refuse: Refuse): number | undefined {
  if (path !== '' && query !== undefined && path !== query) refuse('it names two databases, in its path and as db');
  const text = path || query;
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) refuse(`its database is a whole number: redis://host:6379/0. Else ${ENCODE}`);
  return Number(text);
}

function readQuery(option: string, { href, search, searchParams }: URL): Readonly<Record<string, string>> {
  for (const name of searchParams.keys()) {
    if (IN_QUERY.includes(name)) continue;
    // With an @ in it, it may be a piece of a password.
    const isShown = /^[A-Za-z]\w{0,40}$/.test(name) && !search.includes('@');
    throw new InvalidOptionError(isShown ? `${option}?${name}` : option, hidden(href), cureOfQuery(name));
  }
  return Object.fromEntries(searchParams);
}

function cureOfQuery(name: string): string {
  if (name === 'keyPrefix') return NO_KEY_PREFIX;
  return `a URL may have ${IN_QUERY.join(', ')} in its query; give other options of the client as connection.options. And ${ENCODE}`;
}

/** The scheme, which is no secret. */
function hidden(value: string): string {
  const scheme = /^[a-z][a-z+]{0,15}:(?=\/\/)/i.exec(value)?.[0] ?? '';
  return `${scheme}…`;
}

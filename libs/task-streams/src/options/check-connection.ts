import { InvalidOptionError } from '../task/config-errors.js';
import { functionLike, partialGroup, requireObject, type OptionCheck } from './check-option.js';
import { NO_KEY_PREFIX, parseRedisUrl } from './redis-url.js';
import type { ConnectionOptions } from './task-streams-options.js';

/** Used where no connection is given. */
const DEFAULT_CONNECTION: ConnectionOptions = Object.freeze({ url: 'redis://localhost:6379' });

/** Says of a connection that was given and says nothing. */
const NO_PLACE =
  'it was given and has no value (is the variable it comes from set?); give it one, or leave it out for a Redis on localhost:6379';

/** What ioredis takes in its constructor and people look for one floor too high. */
const OF_THE_CLIENT = [
  ...['host', 'port', 'path', 'username', 'password', 'db', 'tls', 'family', 'sentinels', 'name', 'keepAlive'],
  ...['sentinelUsername', 'sentinelPassword', 'connectionName', 'connectTimeout', 'retryStrategy', 'keyPrefix'],
  ...['maxRetriesPerRequest', 'enableReadyCheck', 'lazyConnect', 'role'],
];

const checkUrl: OptionCheck<string> = (path, value) => {
  parseRedisUrl(path, value);
  return (value as string).trim();
};

const checkClientOptions: OptionCheck<Readonly<Record<string, unknown>>> = (path, value) => {
  const options = requireObject(path, value);
  const refuse = (name: string, cure: string): never => {
    throw new InvalidOptionError(`${path}.${name}`, options[name], cure);
  };
  if (options['keyPrefix'] !== undefined && options['keyPrefix'] !== '') refuse('keyPrefix', NO_KEY_PREFIX);
  if (options['role'] === 'slave') refuse('role', 'tasks are written, and a replica refuses it; leave it out');
  for (const name of ['url', 'uri', 'createClient'])
    if (options[name] !== undefined) refuse(name, 'ioredis has no such option; give connection.url or createClient');
  return Object.freeze({ ...options });
};

/** What can be seen of a client that `createClient` made. */
interface MadeClient {
  readonly options?: {
    readonly keyPrefix?: unknown;
    readonly redisOptions?: { readonly keyPrefix?: unknown } | undefined;
  };
}

/**
 * @throws InvalidOptionError for a client that puts something before every key.
 * @internal
 */
export function requireNoKeyPrefix(path: string, { options }: MadeClient): void {
  const given = [
    ['options.keyPrefix', options?.keyPrefix],
    ['options.redisOptions.keyPrefix', options?.redisOptions?.keyPrefix],
  ] as const;
  for (const [where, keyPrefix] of given) {
    if (keyPrefix) throw new InvalidOptionError(`${path}(…).${where}`, keyPrefix, NO_KEY_PREFIX);
  }
}

const checkMembers = partialGroup<Required<ConnectionOptions>>({
  url: checkUrl,
  options: checkClientOptions,
  createClient: functionLike('give a function that makes a client: (role, options) => new Redis(options)'),
});

/**
 * Accepts that the connection is left out, and nothing that was meant to be one and is not.
 *
 * @internal
 */
export function requireGivenConnection(options: object): void {
  if ('connection' in options && options.connection === undefined)
    throw new InvalidOptionError('connection', undefined, NO_PLACE);
}

/**
 * Accepts a URL, a URL with the options it does not give, options, or what makes the clients; none is a Redis on this machine.
 *
 * @internal
 */
export const checkConnection: OptionCheck<ConnectionOptions> = (path, value) => {
  if (value === undefined) return DEFAULT_CONNECTION;
  if (typeof value === 'string') return Object.freeze({ url: checkUrl(path, value) });
  refuseOptionsOfTheClient(path, requireObject(path, value));
  const connection = checkMembers(path, value);
  requirePlace(path, value as Readonly<Record<string, unknown>>);
  if (connection.createClient !== undefined && Object.keys(connection).length > 1)
    throw new InvalidOptionError(
      path,
      value,
      'it has createClient and more; whatever makes the clients gets all from you',
    );
  refuseTwice(path, connection);
  return Object.keys(connection).length === 0 ? DEFAULT_CONNECTION : connection;
};

/**
 * A place that was meant to be given and has no value, such as a variable of the environment that is not set, must not become
 * the Redis of this machine.
 */
function requirePlace(path: string, connection: Readonly<Record<string, unknown>>): void {
  const options = (connection['options'] ?? {}) as Readonly<Record<string, unknown>>;
  const places = [
    ...['url', 'createClient'].filter((name) => name in connection).map((name) => [name, connection[name]]),
    ...['host', 'path', 'sentinels']
      .filter((name) => name in options)
      .map((name) => [`options.${name}`, options[name]]),
  ] as [string, unknown][];
  const [empty] = places;
  if (empty === undefined || places.some(([, value]) => value !== undefined && value !== null)) return;
  throw new InvalidOptionError(`${path}.${empty[0]}`, empty[1], NO_PLACE);
}

function refuseOptionsOfTheClient(path: string, connection: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(connection)) {
    if (!OF_THE_CLIENT.includes(name) || value === undefined) continue;
    const where = `it is an option of ioredis: give it as connection: { options: { ${name}: … } }, or in a URL as far as one can`;
    throw new InvalidOptionError(`${path}.${name}`, value, where);
  }
}

/** The URL gives the address, the user, the password and the database; the options give the rest. */
function refuseTwice(path: string, { url, options }: ConnectionOptions): void {
  if (url === undefined || options === undefined) return;
  const given = { ...parseRedisUrl(`${path}.url`, url) };
  for (const name of ['host', 'port', 'path', 'sentinels']) {
    if (options[name] === undefined) continue;
    throw new InvalidOptionError(
      `${path}.options.${name}`,
      options[name],
      'connection.url says already where Redis is; give the address in one of the two',
    );
  }
  for (const [name, value] of Object.entries(given)) {
    if (options[name] === undefined || (name === 'tls' && options['tls'] !== false && options['tls'] !== null))
      continue;
    const cure = `connection.url gives ${name === 'tls' ? 'TLS (rediss:)' : name} too; give it in one of the two`;
    throw new InvalidOptionError(`${path}.options.${name}`, value, cure);
  }
}

/** What the constructor of ioredis is given for a connection that has no `createClient`. */
export function clientOptionsOf({ url, options = {} }: ConnectionOptions): Readonly<Record<string, unknown>> {
  return url === undefined ? options : { ...parseRedisUrl('connection.url', url), ...options };
}

import { InvalidOptionError } from '../task/config-errors.js';
import { functionLike, partialGroup, requireObject, type OptionCheck } from './check-option.js';
import type { ConnectionOptions } from './task-streams-options.js';

/** Used where no connection is given. */
const DEFAULT_CONNECTION: ConnectionOptions = Object.freeze({ url: 'redis://localhost:6379' });

const NO_KEY_PREFIX =
  'scripts build the names of their keys themselves, so a prefix set in ioredis would miss some; use the option prefix';

const checkUrl: OptionCheck<string> = (path, value) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol)) {
    // A password may be in it: nothing of the text is shown.
    const shown = typeof value === 'string' ? `${url?.protocol ?? ''}…` : value;
    throw new InvalidOptionError(path, shown, 'give a URL such as redis://localhost:6379 or rediss://host:6380/0');
  }
  // ioredis takes options from the query.
  if (url.searchParams.has('keyPrefix'))
    throw new InvalidOptionError(`${path}?keyPrefix`, url.searchParams.get('keyPrefix'), NO_KEY_PREFIX);
  return value as string;
};

const checkClientOptions: OptionCheck<Readonly<Record<string, unknown>>> = (path, value) => {
  const options = requireObject(path, value);
  const { keyPrefix } = options;
  if (keyPrefix !== undefined && keyPrefix !== '') {
    throw new InvalidOptionError(`${path}.keyPrefix`, keyPrefix, NO_KEY_PREFIX);
  }
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
 * Accepts one way to reach Redis; none is a Redis on this machine.
 *
 * @internal
 */
export const checkConnection: OptionCheck<ConnectionOptions> = (path, value) => {
  if (value === undefined) return DEFAULT_CONNECTION;
  const connection = checkMembers(path, value);
  const given = Object.keys(connection);
  if (given.length > 1) throw new InvalidOptionError(path, value, `it has ${given.join(' and ')}; give one of them`);
  return given.length === 0 ? DEFAULT_CONNECTION : connection;
};

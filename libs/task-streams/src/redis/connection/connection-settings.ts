import type { ResolvedOptions } from '../../options/resolved-options.js';
import type { ConnectionRole } from '../../options/task-streams-options.js';
import { classifyRedisError } from '../../policy/redis-error.js';
import { errorPauseMs, reactionTo } from '../../policy/redis-reactions.js';

/** What the settings of a client have to do with the rest of the process. */
export interface ConnectionHooks {
  /** Why the client has no connection. */
  readonly lastError: () => Error | undefined;
  /** The client was told that its server is no primary. */
  readonly onDemoted: () => void;
}

/** How much longer than it may block a connection may stay silent before its socket is given up. */
const BLOCK_SLACK_MS = 2_000;
const COMMAND_SILENCE_MS = 3_000;
const COMMAND_TIMEOUT_MS = 5_000;
/** After a silence workers get a second to come back and renew their leases (scripts/lib/heartbeat.lua). */
const LONGEST_RECONNECT_PAUSE_MS = 500;
const SENTINEL_TIMEOUT_MS = 500;
/** How often a server that is reading its file is asked whether it is done. */
const LOADING_PAUSE_MS = 250;

/**
 * Options that suit a cache and break a queue, back at what they are by default: replies as scripts and streams need them
 * (ioredis 6 speaks RESP3 by default, whose replies have other shapes; version 5 ignores `protocol`), each command sent as
 * it is given, and none refused because the connection is about to be there.
 */
const CLIENT_DEFAULTS = {
  protocol: 2,
  replyMapping: 'legacy',
  stringNumbers: false,
  monitor: false,
  readOnly: false,
  enableAutoPipelining: false,
  enableOfflineQueue: true,
  autoResendUnfulfilledCommands: true,
  blockingTimeout: undefined,
};

/**
 * The client options that decide about reliability, by role.
 *
 * - `maxRetriesPerRequest: 0`: what was in flight when the socket broke rejects at once. By default ioredis sends it
 *   again by itself: an XREADGROUP would hand out twice, and the first hand-out would never be seen.
 * - `socketTimeout`: a half-open connection is noticed. Without it a call waits for ever.
 * - `maxLoadingRetryTime`: a server that reads its file guesses how long it will take, and ioredis would wait that long, up to
 *   ten seconds, before it asks again.
 * - `commandTimeout` of the connections that block is unset: a time-out there loses the answer that is on its way.
 * - `sentinelCommandTimeout`: a Sentinel that stands still is passed over. Without it a client that asks it connects for ever.
 */
export function connectionSettings(
  role: ConnectionRole,
  options: ResolvedOptions,
  { lastError, onDemoted }: ConnectionHooks,
): Readonly<Record<string, unknown>> {
  const base = {
    ...CLIENT_DEFAULTS,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: 5_000,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    maxLoadingRetryTime: LOADING_PAUSE_MS,
    // How long a socket that is closed while it connects keeps the process alive.
    disconnectTimeout: 200,
    retryStrategy: (attempt: number) => reconnectPauseMs(attempt, lastError()),
    // A server that became a replica refuses writes on this socket for ever: find the primary again.
    reconnectOnError: (error: Error) => {
      const isDemoted = classifyRedisError(error) === 'topology';
      if (isDemoted) onDemoted();
      return isDemoted;
    },
  };
  const isUnset = { commandTimeout: undefined };
  if (role === 'reader') return { ...base, ...isUnset, socketTimeout: options.timing.blockMs + BLOCK_SLACK_MS };
  if (role === 'durable') {
    // A WAIT that is kept for the next connection would be about nothing that was written, and say yes.
    const socketTimeout = options.enqueueTimeoutMs + BLOCK_SLACK_MS;
    return { ...base, ...isUnset, enableOfflineQueue: false, socketTimeout };
  }
  return { ...base, socketTimeout: COMMAND_SILENCE_MS, commandTimeout: COMMAND_TIMEOUT_MS };
}

/** A wrong password is not tried as often as a server that is on its way up: it may lock an account. */
function reconnectPauseMs(attempt: number, error: Error | undefined): number {
  const isSlow = error !== undefined && reactionTo(error).worker === 'slow';
  return isSlow ? errorPauseMs(attempt, error) : Math.min(attempt * 100, LONGEST_RECONNECT_PAUSE_MS);
}

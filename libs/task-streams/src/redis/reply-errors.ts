/** What an error of Redis, or of the connection to it, means. */
export type RedisErrorKind =
  /** The consumer group or the stream is not there: create it and go on. */
  | 'no-group'
  /** Memory is full: writes are refused until somebody frees some. */
  | 'full'
  /** The server cannot take writes or is on its way up: wait and go on. */
  | 'transient'
  /** The connection broke, or an answer did not come in time: what was sent may have been done. */
  | 'connection'
  /** Rights, password or a command that does not exist: somebody has to change something. */
  | 'configuration'
  /** Any other reply. */
  | 'other';

const KINDS: readonly (readonly [RegExp, RedisErrorKind])[] = [
  [/^NOGROUP|UNBLOCKED the stream key no longer exists/, 'no-group'],
  [/^OOM|command not allowed when used memory/, 'full'],
  [/^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|UNBLOCKED|MISCONF|NOREPLICAS)\b/, 'transient'],
  [/max number of clients reached/, 'transient'],
  [/^(NOAUTH|WRONGPASS|NOPERM|CROSSSLOT)\b|unknown command/i, 'configuration'],
];

/** Sorts an error by what can be done about it. */
export function classifyRedisError(error: unknown): RedisErrorKind {
  const message = error instanceof Error ? error.message : String(error);
  const known = KINDS.find(([pattern]) => pattern.test(message));
  if (known) return known[1];
  return isReply(error) ? 'other' : 'connection';
}

/** Whether the server itself answered with an error, so that it is known what happened. */
export function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

export function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

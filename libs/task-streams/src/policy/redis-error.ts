/** What an error of Redis, or of the connection to it, means. What follows from it is in `redis-reactions.ts`. */
export type RedisErrorClass =
  /** The server is on its way up, busy, or its cluster is settling, or moves the slot: the same command works soon. */
  | 'transient'
  /** The server was a primary and is a replica now: this socket is of no use any more. */
  | 'topology'
  /** The slot is elsewhere. The client follows by itself; one that cannot is told here. */
  | 'cluster'
  /** The server does not know the script. It is sent again with its text. */
  | 'no-script'
  /** Memory, disk or replicas: reads work, writes do not. */
  | 'writes-refused'
  /** Rights, password, version, address: somebody has to change something. */
  | 'config'
  /** The stream or its consumer group is not there. */
  | 'missing-queue'
  /** Another program wrote something else under a key of the queue. */
  | 'wrong-type'
  /** Another program wrote over a key of one task, which keeps nobody else back. */
  | 'blocked-task'
  /** The connection broke, or no answer came in time: what was sent may have been done. */
  | 'connection'
  /** A reply nobody here has heard of. */
  | 'unknown';

interface KnownReply {
  readonly pattern: RegExp;
  readonly class: RedisErrorClass;
  /** What somebody can do about it. */
  readonly cure?: string;
}

const MEMORY_FULL = /^OOM\b|command not allowed when used memory/;

/** Errors of commands inside a script begin with the same word as outside, so the beginning is enough. */
const KNOWN: readonly KnownReply[] = [
  { pattern: /^NOSCRIPT\b/, class: 'no-script' },
  {
    pattern: /^NOGROUP\b|^UNBLOCKED the stream key no longer exists|requires the key to exist|^ERR no such key/,
    class: 'missing-queue',
  },
  { pattern: MEMORY_FULL, class: 'writes-refused', cure: 'Give Redis more memory; workers go on emptying it' },
  { pattern: /^MISCONF\b/, class: 'writes-refused', cure: 'Redis cannot write to its disk: see its log' },
  { pattern: /^NOREPLICAS\b/, class: 'writes-refused', cure: 'Bring replicas back, or lower min-replicas-to-write' },
  { pattern: /^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN)\b|^ERR Script .*while the cluster is down/, class: 'transient' },
  // The slot of the queue is on its way to another server, key by key. A script is never sent after it with ASKING: it would
  // find some of its keys there and not the others.
  { pattern: /^(ASK|TRYAGAIN)\b|\baccess a (non local key|slot not served)/, class: 'transient' },
  { pattern: /max number of clients/, class: 'transient', cure: 'Raise maxclients, or open fewer connections' },
  {
    pattern: /^(READONLY|UNBLOCKED)\b|^ERR WAIT(AOF)? cannot be used with replica/,
    class: 'topology',
    cure: 'Connect to the primary',
  },
  {
    pattern: /^MOVED\b/,
    class: 'cluster',
    cure: 'The server is a Cluster: make its clients with connection.createClient',
  },
  {
    pattern: /^WRONGTYPE\b/,
    class: 'wrong-type',
    cure: 'Another program has written to a key of this queue: look at it, and remove it',
  },
  {
    pattern: /^BLOCKED\b/,
    class: 'blocked-task',
    cure: 'Another program has written to this key: look at it, and remove it; the task goes on by itself',
  },
  { pattern: /^NOAUTH\b/, class: 'config', cure: 'Give the connection a password, and a user name where there is one' },
  {
    pattern: /^WRONGPASS\b|invalid password|^ERR (Client sent AUTH|AUTH <password> called)/,
    class: 'config',
    cure: 'Correct the user name and the password of the connection',
  },
  {
    // Inside a script it was another sentence up to Redis 7.0.
    pattern: /^NOPERM\b|^ERR (ACL failure in script|The user executing the script)\b/,
    class: 'config',
    cure: 'Allow it to the user of the connection (ACL SETUSER): docs/security.md has the whole line of a producer, a worker and an operator',
  },
  {
    pattern: /unknown (sub)?command/i,
    class: 'config',
    cure: 'Connect to a Redis 7.0 or Valkey 8.0, or newer, that has this command',
  },
  {
    pattern: /^CROSSSLOT\b|\baccess keys that (do not|don't) hash to the same slot/,
    class: 'config',
    cure: 'In a Cluster a follow-up must go to a queue of the same slot: in practice the queue of its parent',
  },
  { pattern: /^DENIED\b/, class: 'config', cure: 'Set a password on Redis, or let it listen where you are' },
  { pattern: /DB index is out of range/, class: 'config', cure: 'Choose a database that the server has' },
  { pattern: /^(ERR )?NEWERFORMAT\b/, class: 'config', cure: 'Update nestjs-task-streams in this process' },
  {
    pattern: /^(ERR )?OLDERFORMAT\b/,
    class: 'config',
    cure: 'Let the release that wrote the queue empty it, or choose another prefix',
  },
];

/** Sorts an error by what it means. Whatever is not a reply of the server is an error of the connection. */
export function classifyRedisError(error: unknown): RedisErrorClass {
  return knownReply(error)?.class ?? (isReply(error) ? 'unknown' : 'connection');
}

/** What somebody can do about an error: one sentence without its full stop; `undefined` where there is only waiting. */
export function cureOf(error: unknown): string | undefined {
  return knownReply(error)?.cure;
}

/** Whether a write was refused because the memory of the server is full. */
export function isMemoryFull(error: unknown): boolean {
  return MEMORY_FULL.test(textOf(error));
}

/** Whether the server itself answered with an error, so that it is known what happened. */
export function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

/** The error of a reply that came as text, for one item of a batch. */
export function replyError(reply: string): Error {
  const error = new Error(reply);
  error.name = 'ReplyError';
  return error;
}

/** The error of a task that cannot be worked on: `<task id>: <why>`. */
export function blockedTaskError(text: string): Error {
  return replyError(`BLOCKED task ${text}`);
}

function knownReply(error: unknown): KnownReply | undefined {
  const text = textOf(error);
  return KNOWN.find(({ pattern }) => pattern.test(text));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import type { OnExpired, RetryOptions } from './handler-options.js';

/**
 * Which side of the work a process does. A `producer` enqueues and never starts a loop, a `worker` and `both` do both:
 * a handler may always enqueue.
 *
 * @publicApi
 */
export type TaskStreamsMode = 'producer' | 'worker' | 'both';

/**
 * What the library needs of an ioredis client. Described by its shape, so that a client from any copy of ioredis, or
 * from iovalkey, will do.
 */
export interface RedisClientLike {
  readonly status: string;
  duplicate(override?: object): RedisClientLike;
  connect(): Promise<void>;
  disconnect(): void;
  quit(): Promise<unknown>;
}

/** What a connection is for. */
export type ConnectionRole = 'command' | 'reader' | 'producer' | 'durable';

/**
 * How to reach Redis: `url`, `options` or both, or `createClient`.
 *
 * @publicApi
 */
export interface ConnectionOptions {
  /**
   * A URL: `redis://localhost:6379`, `rediss://user:password@host:6380/0` for TLS, `unix:///run/redis.sock?db=0` for a unix
   * socket. User and password are percent-encoded. `db`, `username`, `password`, `family` and `connectionName` may stand in
   * its query; give everything else in `options`.
   */
  readonly url?: string;
  /**
   * Options for the constructor of ioredis: `tls`, `keepAlive`, `sentinels` and `name` … Beside a `url` they give what it does
   * not; a member that both give is refused. The ones that decide about reliability are set by the library: time-outs, retries,
   * the off-line queue and the form of replies. With `sentinels` it also listens to all Sentinels, and leaves a primary that
   * they replace.
   */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * Makes the clients itself, once for each role, with the options the library needs for it; for Cluster, or a client
   * that is not ioredis. The client must not be shared between roles: a blocking read holds its connection. A `Cluster`
   * takes the options as `redisOptions`; it is made once, and plain connections to its masters are opened from it. A client
   * with a `keyPrefix` is refused.
   */
  readonly createClient?: (role: ConnectionRole, options: Readonly<Record<string, unknown>>) => RedisClientLike;
}

/**
 * Options of one queue. What is left out comes from the module.
 *
 * @publicApi
 */
export interface QueueOptions {
  /** Tasks that run at once in one process. Default: the module's `concurrency`. */
  readonly concurrency?: number;
  /** What becomes of a task whose `ttlMs` or `deadline` is over, unless its handler says otherwise. Default `dead-letter`. */
  readonly onExpired?: OnExpired;
  /**
   * The most tasks that may wait, those that wait for a time (delayed, to be retried) included; those that run are not
   * counted. An enqueue beyond it is refused with `QueueFullError`. Checked where the task is added, so it belongs to the
   * processes that enqueue. Follow-up tasks, retries and redriven tasks are not refused. Default: no limit.
   */
  readonly maxBacklog?: number;
  /**
   * What an enqueue to a full queue does: `reject` fails at once, `wait` waits for room, as long as `enqueueTimeoutMs`, and
   * fails then. Default `reject`.
   */
  readonly onFull?: 'reject' | 'wait';
  /**
   * Write down what happens to the tasks of this queue, for `TaskClient.events`: about 10 000 changes are kept. Each process
   * writes down what it does itself, so set it in all of them. Costs a write beside each hand-out and each settlement.
   * Default false.
   */
  readonly events?: boolean;
}

/**
 * Options of `TaskStreamsModule.forRoot`. Every one has a default but `connection`, whose default is a Redis on
 * `redis://localhost:6379`.
 *
 * @publicApi
 */
export interface TaskStreamsOptions {
  /** How to reach Redis; a string is its URL. */
  readonly connection?: ConnectionOptions | string;
  /** What every key in Redis begins with. Default `ts`. */
  readonly prefix?: string;
  /** Which side of the work this process does. Default `both`. */
  readonly mode?: TaskStreamsMode;
  /** Start the workers by `listen()` or `TaskWorkers.start()` only (`false`), or also at bootstrap. Default false. */
  readonly autoStart?: boolean;
  /**
   * What happens at boot when Redis does not answer within two seconds: `wait` starts all the same, goes on trying, and
   * readiness tells; `fail` fails the boot. A server that cannot be used as it is (too old, evicting, a wrong password, a right that
   * is missing) always does. Default `wait`.
   */
  readonly onRedisDown?: 'wait' | 'fail';
  /**
   * Start on a server whose maxmemory-policy may delete tasks when its memory is full, too: with a warning, and readiness
   * `degraded`. Default false: the boot fails.
   */
  readonly allowEviction?: boolean;
  /** Tasks of one queue that run at once in one process. Default 10. */
  readonly concurrency?: number;
  /** Options by queue. */
  readonly queues?: Readonly<Record<string, QueueOptions>>;
  /** How failures are answered, unless the handler or the message says otherwise. */
  readonly retry?: RetryOptions;
  /** Milliseconds an attempt may take; `false` for no limit. Default 5 minutes. */
  readonly timeoutMs?: number | false;
  /** Milliseconds a worker owns a task without a sign of life. Renewed at a third of it. Default 30 000. */
  readonly leaseMs?: number;
  /**
   * Deliveries without a settlement after which a task becomes a dead letter (`crash-limit`); one more for a task whose last
   * crash others may have caused. Default 3. In the last of them it is tried apart from others. With 1 no task is delivered
   * again after a crash.
   */
  readonly crashLimit?: number;
  /**
   * Milliseconds running tasks get to end when the process stops; then they are released for other workers, which takes three
   * seconds at most. Default 25 000: a process is usually killed 30 s after SIGTERM.
   */
  readonly shutdownTimeoutMs?: number;
  /** Milliseconds `enqueue` waits for Redis. Default 5000. */
  readonly enqueueTimeoutMs?: number;
  /** How often a worker looks and how long it waits. The defaults suit nearly every application. */
  readonly timing?: TimingOptions;
  /** What the producer refuses to send and the worker refuses to parse. */
  readonly limits?: LimitOptions;
  /** What is kept of tasks that ended. */
  readonly retention?: RetentionOptions;
  /** Write a log line at level debug for each task that is enqueued, starts and completes. Default false. */
  readonly logSuccess?: boolean;
  /**
   * Keep the running task in an AsyncLocalStorage, for `currentTask()` and `taskLogFields()`. On Node 20 it costs a task
   * about two microseconds, and each `await` of the process 0.3. Default false.
   */
  readonly asyncContext?: boolean;
  /**
   * Names whose values are replaced by `[redacted]` in the details of errors, and so in dead letters, events and logs. A
   * name is matched whole or by one of its words, whatever its case: `token` covers `accessToken` and `X-Token`. What is
   * given here comes on top of `password`, `passwd`, `secret`, `token`, `authorization`, `cookie` and `card`. The
   * payload of a dead letter is kept as it was sent.
   */
  readonly redact?: readonly string[];
  /**
   * Which guards, interceptors, pipes and filters of Nest run for tasks. `handler`: those on the method and its class
   * (`@UseGuards()` and its like). `all`: also those of the whole application (`APP_GUARD`, `useGlobalPipes()` and their
   * like). Those are written for HTTP requests as a rule, where a task has no request: a guard that finds no user in it
   * denies the task, which is a dead letter then. One line at boot names them. Default `handler`.
   */
  readonly enhancers?: 'all' | 'handler';
  /** Validate payloads whose parameter type is a class. Default true. */
  readonly validate?: boolean;
}

/**
 * How often a worker looks and how long it waits, all in milliseconds. The defaults suit nearly every application. With a
 * `leaseMs` below 5 s make `sweepMs` smaller too; tests shorten `promoteMs`.
 *
 * @publicApi
 */
export interface TimingOptions {
  /** Milliseconds between two looks for tasks whose lease lapsed; each wait is spread by a fifth. Default 5000. */
  readonly sweepMs?: number;
  /** Milliseconds between two looks for tasks that are due, at the most. Default 500. */
  readonly promoteMs?: number;
  /** Milliseconds an idle worker waits before it looks by itself, a quarter of `leaseMs` at most. Default 2000. */
  readonly blockMs?: number;
  /** Milliseconds after which the consumer of a worker that is gone is forgotten, if it holds nothing. Default one day. */
  readonly consumerTtlMs?: number;
  /**
   * Milliseconds after which a handler that goes on, although its attempt is over, counts as stuck: it ignores
   * `ctx.signal`. Default one minute.
   */
  readonly stuckAfterMs?: number;
  /** Milliseconds a task without a handler, or of a newer version, is offered again. Default 5 minutes. */
  readonly unknownTaskGraceMs?: number;
  /** Milliseconds a task may be deferred in all without an attempt. Default one hour. */
  readonly deferralLimitMs?: number;
}

/** @publicApi */
export interface LimitOptions {
  /** The most bytes of a payload as JSON. Default 1 MiB. */
  readonly maxPayloadBytes?: number;
  /** How deep arrays and objects of a payload may be nested. Default 200. */
  readonly maxPayloadDepth?: number;
  /** The most headers of a task. Default 64. */
  readonly maxHeaders?: number;
}

/** @publicApi */
export interface RetentionOptions {
  /**
   * Milliseconds the record of a completed task is kept, and with it its result. Default one hour. It is kept for
   * `enqueueTimeoutMs` at least: a sender may send the same id again for so long.
   */
  readonly completedMs?: number;
  /** Milliseconds dead letters and their records are kept. Default 14 days. */
  readonly deadLettersMs?: number;
  /** The most dead letters a queue keeps; the oldest go first. Default 100 000. */
  readonly maxDeadLetters?: number;
  /** Milliseconds the done mark of an explicit idempotency key is kept. Default 24 hours. */
  readonly idempotencyKeysMs?: number;
  /** Milliseconds the log lines of a task are kept after the last one. Default one day. */
  readonly logsMs?: number;
  /** Keep the result of a handler in its record. Default true. */
  readonly results?: boolean;
  /** A result of more bytes than this is left out of the record, with the reason. Default 4096. */
  readonly maxResultBytes?: number;
}

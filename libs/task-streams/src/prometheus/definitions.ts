/** What one metric is called, counts and is told apart by. */
export interface MetricDefinition {
  /** Without the prefix. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** The buckets of the OpenTelemetry conventions, and longer ones: tasks may run for an hour. In seconds. */
export const DURATION_BUCKETS: readonly number[] = [
  ...[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  ...[30, 60, 300, 900, 3600],
];
const CALL_BUCKETS: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const BYTE_BUCKETS: readonly number[] = [128, 512, 2048, 8192, 32_768, 131_072, 524_288, 1_048_576];

/** What this process did. Present from the start, with 0. */
export const TASK_METRICS = {
  enqueued: counter(
    'tasks_enqueued_total',
    ['queue', 'task', 'outcome'],
    'Tasks that were sent, by what became of them',
  ),
  attempts: counter('attempts_total', ['queue', 'task', 'outcome'], 'Attempts that ended, by how'),
  finished: counter('tasks_finished_total', ['queue', 'task', 'outcome'], 'Tasks that came to their end, once each'),
  deadLetters: counter('dead_letters_total', ['queue', 'task', 'reason'], 'Tasks that were given up, by reason'),
  dropped: counter('dead_letters_dropped_total', ['queue'], 'Dead letters that retention dropped'),
  redriven: counter('redriven_total', ['queue', 'mode'], 'Dead letters that were sent back to their queue'),
  redeliveries: counter('redeliveries_total', ['queue', 'cause'], 'Tasks that were handed out once more, by cause'),
  idempotency: counter('idempotency_total', ['queue', 'task', 'result'], 'What idempotency decided'),
  transportErrors: counter(
    'transport_errors_total',
    ['operation'],
    'Operations on Redis that began to fail; one for an outage, not one for each try',
  ),
  wait: histogram(
    'wait_seconds',
    ['queue', 'task'],
    'From the moment a task could be run to the start of its first attempt',
    DURATION_BUCKETS,
  ),
  handler: histogram(
    'handler_duration_seconds',
    ['queue', 'task', 'outcome'],
    'How long attempts took',
    DURATION_BUCKETS,
  ),
  age: histogram(
    'task_age_seconds',
    ['queue', 'task', 'outcome'],
    'From the enqueue of a task to its end',
    DURATION_BUCKETS,
  ),
  enqueueDuration: histogram('enqueue_duration_seconds', ['queue'], 'How long senders waited for Redis', CALL_BUCKETS),
  payload: histogram('payload_bytes', ['queue', 'task'], 'Payloads as they were sent', BYTE_BUCKETS),
  collectErrors: counter(
    'collect_errors_total',
    ['target'],
    'Scrapes that got no answer from Redis, by what was asked',
  ),
} as const satisfies Record<string, MetricDefinition>;

/** What lies in Redis, read at each scrape; absent while it does not answer. */
export const QUEUE_METRICS = {
  queueTasks: gauge('queue_tasks', ['queue', 'state'], 'Tasks of a queue by state'),
  groupLag: gauge(
    'group_lag',
    ['queue', 'group'],
    'Lag of the consumer group as Redis counts it; absent where it cannot',
  ),
  groupPending: gauge('group_pending', ['queue', 'group'], 'Entries that are handed out and not settled'),
  oldestReady: gauge('oldest_ready_age_seconds', ['queue'], 'How long the oldest task that could be run has waited'),
  oldestPending: gauge(
    'oldest_pending_idle_seconds',
    ['queue', 'group'],
    'Since when no worker gave a sign of life for the oldest task that is handed out',
  ),
  oldestDead: gauge('oldest_dead_age_seconds', ['queue'], 'Age of the oldest dead letter'),
  consumers: gauge(
    'consumers',
    ['queue', 'group', 'state'],
    'Workers of the group, by whether they were heard of lately',
  ),
  paused: gauge('queue_paused', ['queue'], 'Whether somebody paused the queue, so that nothing of it is handed out'),
} as const satisfies Record<string, MetricDefinition>;

/** What Redis is. */
export const SERVER_METRICS = {
  redisUp: gauge('redis_up', [], 'Whether Redis answered this scrape'),
  redisAof: gauge('redis_aof_enabled', [], 'Whether Redis writes an append-only file'),
  redisNoEviction: gauge('redis_noeviction', [], 'Whether Redis keeps every key when its memory is full'),
} as const satisfies Record<string, MetricDefinition>;

/** What this process is. */
export const PROCESS_METRICS = {
  workerSlots: gauge('worker_slots', ['queue', 'state'], 'Slots of this process'),
  buildInfo: gauge('build_info', ['version'], 'The version of nestjs-task-streams; always 1'),
} as const satisfies Record<string, MetricDefinition>;

/** All of them. */
export const ALL_METRICS: Readonly<Record<string, MetricDefinition>> = {
  ...TASK_METRICS,
  ...QUEUE_METRICS,
  ...SERVER_METRICS,
  ...PROCESS_METRICS,
};

function counter<const L extends readonly string[]>(name: string, labels: L, help: string) {
  return { name, type: 'counter', labels, help } as const;
}

function gauge<const L extends readonly string[]>(name: string, labels: L, help: string) {
  return { name, type: 'gauge', labels, help } as const;
}

function histogram<const L extends readonly string[]>(
  name: string,
  labels: L,
  help: string,
  buckets: readonly number[],
) {
  return { name, type: 'histogram', labels, help, buckets } as const;
}

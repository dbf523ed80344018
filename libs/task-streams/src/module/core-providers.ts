import type { Provider } from '@nestjs/common';
import { AuditTrail } from '../operate/audit-trail.js';
import { ACTION_LOG } from '../operate/action-log.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { Broker } from '../contracts/broker.interface.js';
import { DECLARED_TASKS } from '../contracts/declared-tasks.interface.js';
import type { DeadLetterSink } from '../contracts/dead-letter-sink.interface.js';
import type { ErrorClassifier } from '../contracts/error-classifier.interface.js';
import { FactFeed } from '../watch/fact-feed.js';
import { PRODUCER_EVENTS, WORKER_EVENTS } from '../watch/event-sources.interface.js';
import { guardTracing } from '../contracts/guard-tracing.js';
import { HANDLER_INDEX } from '../contracts/handler-index.interface.js';
import type { ProducerEvent } from '../watch/producer-observer.interface.js';
import { TASK_ERROR_REPORTER, type TaskErrorReporter } from '../contracts/task-error-reporter.interface.js';
import { TASK_TRACING, type TaskTracing } from '../contracts/task-tracing.interface.js';
import {
  BROKER,
  DEAD_LETTER_SINK,
  ERROR_CLASSIFIER,
  IDEMPOTENCY_STORE,
  PAYLOAD_ENCODER,
  RANDOM,
  RESOLVED_OPTIONS,
} from '../contracts/tokens.js';
import { DeadLetterService } from '../dead-letters/dead-letter.service.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { DeadLetterFilter } from '../pipeline/dead-letter.filter.js';
import { DefaultErrorClassifier } from '../pipeline/default-error-classifier.js';
import { IdempotencyInterceptor } from '../pipeline/idempotency.interceptor.js';
import { RetryInterceptor } from '../pipeline/retry.interceptor.js';
import { TaskPieces } from '../pipeline/task-pieces.js';
import type { RunServices } from '../pipeline/task-run.js';
import type { Random } from '../policy/compute-backoff.js';
import { guardRandom } from '../policy/guard-random.js';
import { addHeaders } from '../producer/add-headers.js';
import { CheckedPayloads } from '../producer/checked-payloads.js';
import { encodeTask } from '../producer/encode-task.js';
import { TaskCatalog } from '../producer/task-catalog.js';
import { TaskClient } from '../producer/task-client.js';
import { AuditActionLog } from '../operate/audit-action-log.js';
import { QueueControl } from '../operate/queue-control.js';
import { QueueInspector } from '../operate/queue-inspector.js';
import { RedisBroker } from '../redis/redis-broker.js';
import { RedisIdempotencyStore } from '../redis/redis-idempotency-store.js';
import { EventListenerExplorer } from '../handlers/event-listener-explorer.js';
import { DeadLetterHandlers } from '../dead-letters/dead-letter-handlers.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { LoggingObserver, usualLinesOf } from '../watch/logging-observer.js';
import { NestTaskExecutor } from '../transport/nest-task-executor.js';
import { ProcessingHooks } from '../transport/processing-hooks.js';
import { RedisStreamsServer } from '../transport/redis-streams.server.js';
import { TaskExplorer } from '../handlers/task-explorer.js';
import { TaskRuntime } from '../transport/task-runtime.js';
import { TaskWorkers } from '../transport/task-workers.js';
import { WorkerEvents } from '../watch/worker-events.js';
import { ChangePublisher } from '../watch/change-publisher.js';
import { WorkerPool } from '../worker/worker-pool.js';
import { clientProvider } from './client-provider.js';
import { LETTER_HANDLERS, withLetterHandlers } from './letter-handlers.js';
import { ObservedProxies } from './observed-proxies.js';
import { PIECES } from './piece-providers.js';
import { DEFAULT_CLIENT } from './task-client.tokens.js';

const NO_SINK: DeadLetterSink = { replacesStream: false, take: async () => undefined };

/** What users may replace. A provider of theirs with the same token comes later and wins. */
const REPLACEABLE: readonly Provider[] = [
  { provide: BROKER, inject: [RESOLVED_OPTIONS], useFactory: (options: ResolvedOptions) => new RedisBroker(options) },
  {
    provide: IDEMPOTENCY_STORE,
    inject: [BROKER],
    useFactory: (broker: RedisBroker) => new RedisIdempotencyStore(broker.session),
  },
  { provide: DEAD_LETTER_SINK, useValue: NO_SINK },
  { provide: ERROR_CLASSIFIER, useClass: DefaultErrorClassifier },
  { provide: ACTION_LOG, inject: [BROKER], useFactory: (broker: Broker) => new AuditActionLog(new AuditTrail(broker)) },
  { provide: RANDOM, useValue: Math.random },
  // Absent unless bound: what is not there costs nothing.
  { provide: TASK_TRACING, useFactory: () => undefined },
  { provide: TASK_ERROR_REPORTER, useFactory: () => undefined },
];

const PRODUCER: readonly Provider[] = [
  { provide: TaskCatalog, useFactory: () => new TaskCatalog() },
  { provide: DECLARED_TASKS, useExisting: TaskCatalog },
  { provide: PRODUCER_EVENTS, inject: [RESOLVED_OPTIONS, LoggingObserver], useFactory: createProducerEvents },
  clientProvider(DEFAULT_CLIENT),
  { provide: TaskClient, useExisting: DEFAULT_CLIENT },
  ObservedProxies,
  {
    provide: PAYLOAD_ENCODER,
    inject: [TaskCatalog, RESOLVED_OPTIONS],
    useFactory: (catalog: TaskCatalog, { limits }: ResolvedOptions) => new CheckedPayloads(catalog, limits),
  },
  DeadLetterService,
  AuditTrail,
  QueueControl,
  QueueInspector,
];

const WORKER: readonly Provider[] = [
  { provide: HandlerRegistry, useFactory: () => new HandlerRegistry() },
  { provide: ProcessingHooks, useFactory: () => new ProcessingHooks() },
  { provide: LoggingObserver, inject: [RESOLVED_OPTIONS, BROKER, TASK_TRACING], useFactory: createLog },
  { provide: WorkerEvents, inject: [LoggingObserver, RESOLVED_OPTIONS, BROKER], useFactory: createEvents },
  { provide: WORKER_EVENTS, useExisting: WorkerEvents },
  TaskExplorer,
  EventListenerExplorer,
  {
    provide: NestTaskExecutor,
    inject: [
      HandlerRegistry,
      ProcessingHooks,
      DEAD_LETTER_SINK,
      RESOLVED_OPTIONS,
      BROKER,
      TaskCatalog,
      ERROR_CLASSIFIER,
      RANDOM,
      TASK_ERROR_REPORTER,
      TASK_TRACING,
      TaskPieces,
    ],
    useFactory: createExecutor,
  },
  {
    provide: WorkerPool,
    inject: [BROKER, NestTaskExecutor, RESOLVED_OPTIONS, WorkerEvents],
    useFactory: (broker: Broker, executor: NestTaskExecutor, options: ResolvedOptions, observer: WorkerEvents) =>
      new WorkerPool({ broker, executor, options, observer }),
  },
  LETTER_HANDLERS,
  {
    provide: TaskRuntime,
    inject: [RESOLVED_OPTIONS, HandlerRegistry, TaskExplorer, WorkerPool, EventListenerExplorer, DeadLetterHandlers],
    useFactory: (
      options: ResolvedOptions,
      registry: HandlerRegistry,
      explorer: TaskExplorer,
      ...[pool, listeners, letters]: [WorkerPool, EventListenerExplorer, DeadLetterHandlers]
    ) => new TaskRuntime({ options, registry, explorer, pool: withLetterHandlers(pool, letters), listeners }),
  },
  { provide: HANDLER_INDEX, useExisting: TaskRuntime },
  RedisStreamsServer,
  TaskWorkers,
];

/** Everything but the options. */
export const CORE_PROVIDERS: readonly Provider[] = [...REPLACEABLE, ...PIECES, ...PRODUCER, ...WORKER];

/**
 * What every module can inject, always: the pieces are made anew in each module that has a handler, and what they need
 * must be there.
 */
export const CORE_EXPORTS = [
  RESOLVED_OPTIONS,
  BROKER,
  IDEMPOTENCY_STORE,
  DEAD_LETTER_SINK,
  ERROR_CLASSIFIER,
  RANDOM,
  PAYLOAD_ENCODER,
  ACTION_LOG,
  HANDLER_INDEX,
  DECLARED_TASKS,
  WORKER_EVENTS,
  PRODUCER_EVENTS,
  TASK_TRACING,
  DEFAULT_CLIENT,
  TaskCatalog,
  TaskRuntime,
  WorkerPool,
  RedisStreamsServer,
  TaskWorkers,
  IdempotencyInterceptor,
  RetryInterceptor,
  DeadLetterFilter,
];

/** What every module can inject with `isGlobal`. */
export const GLOBAL_EXPORTS = [TaskClient, DeadLetterService, AuditTrail, QueueControl, QueueInspector];

function createLog(options: ResolvedOptions, broker: Broker, tracing: TaskTracing | undefined): LoggingObserver {
  const guarded = guardTracing(tracing);
  const traceOf = guarded && ((delivery: Delivery) => guarded.traceOf(delivery));
  return new LoggingObserver(options.logSuccess, { consumer: broker.workerName, traceOf });
}

function createEvents(log: LoggingObserver, options: ResolvedOptions, broker: Broker): WorkerEvents {
  const events = new WorkerEvents();
  events.listen(log);
  if (Object.values(options.queues).some((queue) => queue.events)) events.listen(new ChangePublisher(broker.tasks));
  return events;
}

function createProducerEvents({ logSuccess }: ResolvedOptions, log: LoggingObserver): FactFeed<ProducerEvent> {
  const events = new FactFeed<ProducerEvent>();
  if (logSuccess) events.listen(usualLinesOf(log));
  return events;
}

function createExecutor(
  registry: HandlerRegistry,
  hooks: ProcessingHooks,
  sink: DeadLetterSink,
  options: ResolvedOptions,
  broker: Broker,
  catalog: TaskCatalog,
  ...[classifier, random, reporter, unguarded, pieces]: [
    ErrorClassifier,
    Random,
    TaskErrorReporter | undefined,
    TaskTracing | undefined,
    TaskPieces,
  ]
): NestTaskExecutor {
  const { limits } = options;
  const tracing = guardTracing(unguarded);
  const services: RunServices = {
    options,
    tasks: broker.tasks,
    queues: broker.queues,
    classifier,
    random: guardRandom(random),
    reporter,
    pieces,
    encodeFollowUp: (task, payload, followUp) => {
      const encoded = encodeTask(task, payload, followUp, { limits, catalog, defaultQueue: undefined });
      return tracing === undefined ? encoded : addHeaders(encoded, tracing.create(encoded), limits.maxHeaders);
    },
    workerName: broker.workerName,
    now: Date.now,
  };
  return new NestTaskExecutor({ services, registry, hooks, sink, tracing });
}

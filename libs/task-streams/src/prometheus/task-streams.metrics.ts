import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Registry } from 'prom-client';
import { DECLARED_TASKS, type DeclaredTasks } from '../contracts/declared-tasks.interface.js';
import { PRODUCER_EVENTS, WORKER_EVENTS } from '../watch/event-sources.interface.js';
import type { FactSource } from '../watch/fact.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { StateReader, type ObservedStores } from '../operate/state-reader.js';
import { LIBRARY_VERSION } from '../task/library-version.js';
import { WorkerPool } from '../worker/worker-pool.js';
import { ALL_METRICS, PROCESS_METRICS, QUEUE_METRICS, SERVER_METRICS, TASK_METRICS } from './definitions.js';
import { KnownNames } from './known-names.js';
import { createMetrics, removeMetrics, type MetricSet } from './metric-set.js';
import type { ResolvedPrometheusOptions } from './prometheus-options.js';
import { recorderOf } from './record-facts.js';
import type { Recording } from './recording.js';
import { renderText } from './render-text.js';
import { showRedis, showWorkers, type RedisState } from './show-state.js';
import { makeZeroSeries } from './zero-series.js';

/** The settings of a server change rarely, and asking for them is dearer than the queues; milliseconds. */
const SERVER_CACHE_MS = 30_000;

/** The options of the module. */
export const PROMETHEUS_OPTIONS = Symbol.for('nestjs-task-streams:prometheus-options');

/**
 * The metrics of this process, in the text format of Prometheus.
 *
 * @publicApi
 */
@Injectable()
export class TaskStreamsMetrics implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #recording: Recording;
  readonly #process: MetricSet<typeof PROCESS_METRICS>;
  readonly #reader: StateReader;

  constructor(
    @Inject(PROMETHEUS_OPTIONS) private readonly options: ResolvedPrometheusOptions,
    @Inject(RESOLVED_OPTIONS) { queues }: ResolvedOptions,
    @Inject(DECLARED_TASKS) declared: DeclaredTasks,
    @Inject(BROKER) broker: ObservedStores,
    @Inject(WorkerPool) private readonly pool: Pick<WorkerPool, 'status'>,
    @Inject(WORKER_EVENTS) private readonly workers: FactSource,
    @Inject(PRODUCER_EVENTS) private readonly producers: FactSource,
  ) {
    const metrics = createMetrics(TASK_METRICS, options);
    this.#recording = { metrics, names: new KnownNames(declared, [...Object.keys(queues), ...options.queues]) };
    this.#process = createMetrics(PROCESS_METRICS, options);
    this.#process.buildInfo.set({ version: LIBRARY_VERSION }, 1);
    collectWith(this.#process.workerSlots, async () => showWorkers(this.#process, this.pool.status()));
    const { cacheMs, deadlineMs } = options;
    const onError = (target: string): void => metrics.collectErrors.inc({ target });
    this.#reader = new StateReader(broker, { cacheMs, serverCacheMs: SERVER_CACHE_MS, deadlineMs, onError });
    if (options.readQueues) this.#readRedisAtScrape();
  }

  /** The registry of prom-client, for metrics of your own and default labels. */
  get registry(): ResolvedPrometheusOptions['registry'] {
    return this.options.registry;
  }

  /** Everything that is in the registry, as text. Takes as long as Redis takes to answer, at most `deadlineMs`. */
  async read(): Promise<string> {
    const { registry } = this;
    return registry.contentType === Registry.PROMETHEUS_CONTENT_TYPE ? renderText(registry) : registry.metrics();
  }

  /** What the answer of an HTTP request has to say it is. */
  get contentType(): string {
    return this.registry.contentType;
  }

  onApplicationBootstrap(): void {
    this.#recording.names.refresh();
    makeZeroSeries(this.#recording);
    const recorder = recorderOf(this.#recording);
    this.workers.listen(recorder);
    this.producers.listen(recorder);
  }

  /** Leaves a registry that is shared as it was. */
  onApplicationShutdown(): void {
    removeMetrics(ALL_METRICS, this.options);
  }

  async #readRedis(): Promise<RedisState> {
    const orNothing = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined);
    const [queues, server] = await Promise.all([
      orNothing(this.#reader.queues(this.#recording.names.queues)),
      orNothing(this.#reader.server()),
    ]);
    return { queues, server };
  }

  /** prom-client asks each metric by itself, all at once: whoever is first reads, and the others wait for it. */
  #readRedisAtScrape(): void {
    const queues = createMetrics(QUEUE_METRICS, this.options);
    const server = createMetrics(SERVER_METRICS, this.options);
    let scrape: Promise<void> | undefined;
    const read = (): Promise<void> => {
      scrape ??= this.#readRedis()
        .then((state) => showRedis(queues, server, state))
        .finally(() => {
          scrape = undefined;
        });
      return scrape;
    };
    // A failure to read is counted in the scrape that it spoils.
    const { collectErrors } = this.#recording.metrics;
    for (const metric of [...Object.values(queues), ...Object.values(server), collectErrors]) collectWith(metric, read);
  }
}

/** The option of its constructor under another name: the types of prom-client do not show the field. */
function collectWith(metric: object, collect: () => Promise<void>): void {
  Object.assign(metric, { collect });
}

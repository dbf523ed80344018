import { Logger } from '@nestjs/common';
import type { HandlerIndex } from '../contracts/handler-index.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { resolvePolicy } from '../pipeline/resolve-policy.js';
import { UsageError } from '../task/config-errors.js';
import type { WorkerPool } from '../worker/worker-pool.js';
import { requireKnownPayload } from '../handlers/default-parameters.js';
import type { EventListenerExplorer } from '../handlers/event-listener-explorer.js';
import type { HandlerRegistry } from '../handlers/handler-registry.js';
import type { TaskExplorer } from '../handlers/task-explorer.js';
import { outsideAsyncContext } from './outside-async-context.js';
import { tellEnhancers } from '../handlers/tell-enhancers.js';
import { describeQueue, describeStop, describeStopped } from './worker-lines.js';

/** What it starts and stops. */
export type RuntimePool = Pick<WorkerPool, 'start' | 'drain' | 'status'>;

/** What the runtime works with. */
export interface RuntimeDeps {
  readonly options: ResolvedOptions;
  readonly registry: HandlerRegistry;
  readonly explorer: TaskExplorer;
  readonly pool: RuntimePool;
  readonly listeners: Pick<EventListenerExplorer, 'finished'>;
}

/** Whether the workers run, and if not, what they wait for. */
export type RuntimeState = 'idle' | 'waiting-for-bootstrap' | 'running' | 'stopped';

/** How long handlers may be there before somebody is told that nobody has started them, in milliseconds. */
const LISTEN_WARNING_MS = 10_000;

const logger = new Logger('TaskStreams');

/**
 * Starts the workers when two things have happened, in either order: somebody asked for it, and the application has
 * bootstrapped. In a hybrid application Nest calls `listen()` before any `onModuleInit`.
 */
export class TaskRuntime implements HandlerIndex {
  #isAsked = false;
  #isBootstrapped = false;
  #isRegistered = false;
  #isStarted = false;
  #foundHandlers: boolean | undefined;
  #stopping: Promise<void> | undefined;
  #warning: NodeJS.Timeout | undefined;

  constructor(private readonly deps: RuntimeDeps) {}

  get state(): RuntimeState {
    if (this.#stopping) return 'stopped';
    if (this.#isStarted) return 'running';
    return this.#isAsked ? 'waiting-for-bootstrap' : 'idle';
  }

  get hasHandlers(): boolean {
    return this.deps.registry.queues.length > 0 || this.#hasUnregistered();
  }

  get queues(): readonly string[] {
    return this.deps.registry.queues;
  }

  /**
   * Called by the strategy's `listen()`. In a producer it does nothing but say so.
   *
   * @throws DuplicateHandlerError
   */
  listen(): void {
    if (this.deps.options.mode === 'producer') {
      logger.warn('listen() starts no workers, because mode is "producer"');
      return;
    }
    this.#ask();
  }

  /**
   * Called by `TaskWorkers.start()` and by `autoStart`.
   *
   * @throws DuplicateHandlerError; UsageError in a producer and after a stop.
   */
  startWithoutListening(): void {
    if (this.deps.options.mode === 'producer') {
      throw new UsageError('Workers cannot be started in a producer. Set mode to "worker" or "both".');
    }
    if (this.#stopping)
      throw new UsageError('The workers were stopped and cannot be started again: make a new application.');
    this.#ask();
  }

  /** Called when every bootstrap hook of the application has run. */
  bootstrapped(): void {
    const { mode, autoStart } = this.deps.options;
    this.#isBootstrapped = true;
    clearTimeout(this.#warning);
    if (mode === 'producer') return;
    if (autoStart && !this.#isAsked) this.startWithoutListening();
    else if (this.#isAsked) this.#startIfReady();
    else this.#warnLater();
  }

  /** Drains the workers. Can be called twice, and without a start. */
  stop(): Promise<void> {
    clearTimeout(this.#warning);
    this.#stopping ??= this.#drain();
    return this.#stopping;
  }

  async #drain(): Promise<void> {
    const { pool, listeners, options } = this.deps;
    const begin = performance.now();
    const running = pool.status().queues.reduce((sum, { runningCount }) => sum + runningCount, 0);
    const line = describeStop(running, options.shutdownTimeoutMs);
    if (line !== undefined) logger.log(line);
    const report = await pool.drain();
    if (this.#isStarted) logger.log(describeStopped(report, performance.now() - begin));
    await listeners.finished();
  }

  /** Looked for once: health checks ask often, and classes do not change. */
  #hasUnregistered(): boolean {
    const { explorer } = this.deps;
    this.#foundHandlers ??= explorer.findOnProviders().length > 0 || explorer.findOnControllers().length > 0;
    return this.#foundHandlers;
  }

  #ask(): void {
    this.#register();
    this.#isAsked = true;
    clearTimeout(this.#warning);
    if (!this.#isBootstrapped) this.#warnOfNoBootstrap();
    this.#startIfReady();
  }

  #register(): void {
    if (this.#isRegistered) return;
    const { explorer, registry, options } = this.deps;
    for (const found of [...explorer.findOnProviders(), ...explorer.findOnControllers()]) {
      const { name, queue, place } = found;
      if (options.validate) requireKnownPayload(found);
      registry.add({
        name,
        queue,
        place,
        policy: resolvePolicy(options, found.options, queue),
        invoke: explorer.createInvoke(found),
      });
    }
    this.#isRegistered = true;
    tellEnhancers([...registry].length, options.enhancers, explorer.appWideEnhancers());
  }

  #startIfReady(): void {
    if (!this.#isAsked || !this.#isBootstrapped || this.#isStarted || this.#stopping) return;
    this.#isStarted = true;
    const { registry, options, pool } = this.deps;
    if (registry.queues.length === 0)
      logger.warn('There is no @TaskHandler in this application: no queue is worked on');
    for (const queue of Object.keys(options.queues).filter((name) => !registry.queues.includes(name))) {
      logger.warn(
        `Option queues has "${queue}", and no @TaskHandler of this application is of that queue: check its name`,
      );
    }
    const plans = registry.queues.map((name) => ({
      name,
      concurrency: options.queues[name]?.concurrency ?? options.concurrency,
    }));
    for (const plan of plans) {
      const names = [...registry].filter(({ queue }) => queue === plan.name).map(({ name }) => name);
      logger.log(describeQueue(plan, names, options));
    }
    outsideAsyncContext(() => pool.start(plans));
  }

  /** It keeps the process alive until then: without listen() nothing else may, and it would end without a word. */
  #warnOfNoBootstrap(): void {
    this.#warning = setTimeout(() => {
      logger.warn(
        'The workers were told to start, and the application has not bootstrapped yet: no task runs before it has. Call ' +
          'app.listen() or app.init(); if one of them was called, a lifecycle hook of the application has not ended.',
      );
    }, LISTEN_WARNING_MS);
  }

  #warnLater(): void {
    this.#warning = setTimeout(() => {
      if (!this.hasHandlers) return;
      logger.warn(
        'There are task handlers, but nobody has started the workers. Call TaskStreamsModule.connect(app) and ' +
          'app.startAllMicroservices(), or TaskWorkers.start(), or set autoStart; in a producer set mode to "producer".',
      );
    }, LISTEN_WARNING_MS).unref();
  }
}

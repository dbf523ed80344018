import {
  Inject,
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Broker } from '../contracts/broker.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import { adviseOnOptions } from '../options/advise-on-options.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { TaskCatalog } from '../producer/task-catalog.js';
import { TaskClient } from '../producer/task-client.js';
import { EventListenerExplorer } from '../handlers/event-listener-explorer.js';
import { TaskExplorer, type FoundHandler } from '../handlers/task-explorer.js';
import { CORE_EXPORTS, CORE_PROVIDERS, GLOBAL_EXPORTS } from './core-providers.js';
import type { TaskStreamsModuleExtras } from './module-options.js';
import { EnqueueWatch } from './enqueue-watch.js';
import { aliasesForOtherCopies } from './other-copies.js';
import { ServerWatch } from './server-watch.js';

const logger = new Logger('TaskStreams');

/**
 * Everything the library is made of, once for the application. Global, so that its hooks run first when the application
 * starts and last when it stops: tasks can be enqueued until the end.
 *
 * @internal
 */
@Module({})
export class TaskStreamsCoreModule implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  #isClosed = false;
  #watch: ServerWatch | undefined;
  #enqueueWatch: EnqueueWatch | undefined;

  constructor(
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(BROKER) private readonly broker: Broker,
    @Inject(TaskCatalog) private readonly catalog: TaskCatalog,
    @Inject(TaskExplorer) private readonly explorer: TaskExplorer,
    @Inject(EventListenerExplorer) private readonly listeners: EventListenerExplorer,
    @Inject(TaskClient) private readonly client: unknown,
  ) {}

  static register(options: readonly Provider[], extras: TaskStreamsModuleExtras): DynamicModule {
    const aliases = aliasesForOtherCopies();
    return {
      module: TaskStreamsCoreModule,
      global: true,
      imports: [DiscoveryModule, ...(extras.imports ?? [])],
      providers: [...options, ...CORE_PROVIDERS, ...aliases, ...(extras.providers ?? [])],
      exports: [...CORE_EXPORTS, ...aliases, ...(extras.isGlobal === false ? [] : GLOBAL_EXPORTS)],
    };
  }

  /** From now on a name is enough to send a task that has a handler here, and listeners hear. */
  onModuleInit(): void {
    for (const { name, queue, payload } of this.#handlers()) this.catalog.declare(name, queue, payload);
    this.listeners.start();
    const { catalog, broker } = this;
    this.#enqueueWatch = new EnqueueWatch({
      catalog,
      queues: broker.queues,
      ownQueues: this.#ownQueues(),
      log: logger,
    });
  }

  /**
   * Looks at the server, for two seconds at most. An application starts without Redis too, unless it is told to fail.
   *
   * @throws UnsuitableServerError where the server cannot be used as it is, RedisUnavailableError where it does not let
   *   this user in; with `onRedisDown: 'fail'` also where it does not answer.
   */
  async onApplicationBootstrap(): Promise<void> {
    for (const advice of adviseOnOptions(this.options)) logger.warn(`${advice}.`);
    this.#watch = new ServerWatch(this.broker.server, this.#ownQueues(), logger);
    const isLooking = this.#look(this.#watch);
    // A test with a client of its own has no server as a rule, and must not wait for one.
    if (this.client instanceof TaskClient) await isLooking;
    else isLooking.catch((error: Error) => logger.error(error.message));
    // Closed while it looked.
    if (this.#isClosed) this.#watch.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.stop();
    this.#enqueueWatch?.stop();
    this.listeners.stop();
    await this.broker.server.close();
  }

  #ownQueues(): string[] {
    return this.options.mode === 'producer' ? [] : [...new Set(this.#handlers().map(({ queue }) => queue))];
  }

  /** A boot that fails leaves nobody who could close what is open. */
  async #look(watch: ServerWatch): Promise<void> {
    try {
      await watch.start(this.options.onRedisDown);
    } catch (error) {
      await this.onApplicationShutdown();
      throw error;
    }
  }

  #handlers(): Pick<FoundHandler, 'name' | 'queue' | 'payload'>[] {
    return [...this.explorer.findOnProviders(), ...this.explorer.findOnControllers()];
  }
}

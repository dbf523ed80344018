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
import type { Broker, ServerReport } from '../contracts/broker.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { TaskCatalog } from '../producer/task-catalog.js';
import { UnsuitableServerError } from '../task/config-errors.js';
import { TaskExplorer } from '../transport/task-explorer.js';
import { CORE_EXPORTS, CORE_PROVIDERS, GLOBAL_EXPORTS } from './core-providers.js';
import type { TaskStreamsModuleExtras } from './module-options.js';

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

  constructor(
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(BROKER) private readonly broker: Broker,
    @Inject(TaskCatalog) private readonly catalog: TaskCatalog,
    @Inject(TaskExplorer) private readonly explorer: TaskExplorer,
  ) {}

  static register(options: readonly Provider[], extras: TaskStreamsModuleExtras): DynamicModule {
    return {
      module: TaskStreamsCoreModule,
      global: true,
      imports: [DiscoveryModule, ...(extras.imports ?? [])],
      providers: [...options, ...CORE_PROVIDERS, ...(extras.providers ?? [])],
      exports: [...CORE_EXPORTS, ...(extras.isGlobal === false ? [] : GLOBAL_EXPORTS)],
    };
  }

  /** From now on a name is enough to send a task that has a handler here. */
  onModuleInit(): void {
    for (const { name, queue } of [...this.explorer.findOnProviders(), ...this.explorer.findOnControllers()]) {
      this.catalog.declare(name, queue);
    }
  }

  /**
   * Looks at the server, for two seconds at most. An application starts without Redis too, unless it is told to fail.
   *
   * @throws UnsuitableServerError where the server is too old; with `onRedisDown: 'fail'` also where it does not answer.
   */
  async onApplicationBootstrap(): Promise<void> {
    try {
      const report = await this.broker.check();
      logger.log(describe(report));
      warnOfEviction(report);
    } catch (error) {
      if (error instanceof UnsuitableServerError || this.options.onRedisDown === 'fail') throw error;
      if (!this.#isClosed) logger.warn(`Redis does not answer yet (${(error as Error).message}); it is tried again`);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.#isClosed = true;
    await this.broker.close();
  }
}

function warnOfEviction({ evictionPolicy }: ServerReport): void {
  if (evictionPolicy === 'noeviction' || evictionPolicy === 'unknown') return;
  logger.warn(
    `The maxmemory-policy of Redis is ${evictionPolicy}: when its memory is full it deletes tasks, or the marks that keep ` +
      'them from running twice. Set it to noeviction.',
  );
}

function describe({ kind, version, persistence, evictionPolicy }: ServerReport): string {
  return `Tasks are kept by ${kind} ${version}, persistence ${persistence}, eviction ${evictionPolicy}`;
}

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
import { BROKER } from '../contracts/tokens.js';
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

  /** Not awaited: an application starts without Redis too, and its health check tells. */
  onApplicationBootstrap(): void {
    this.broker.check().then(
      (report) => logger.log(describe(report)),
      (error: unknown) => this.#complain(error),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    this.#isClosed = true;
    await this.broker.close();
  }

  #complain(error: unknown): void {
    if (this.#isClosed) return;
    if (error instanceof UnsuitableServerError) logger.error(error.message);
    else logger.warn(`Redis does not answer yet (${error instanceof Error ? error.message : String(error)})`);
  }
}

function describe({ kind, version, persistence, evictionPolicy }: ServerReport): string {
  return `Tasks are kept by ${kind} ${version}, persistence ${persistence}, eviction ${evictionPolicy}`;
}

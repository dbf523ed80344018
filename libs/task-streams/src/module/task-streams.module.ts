import {
  Inject,
  Module,
  type DynamicModule,
  type INestApplication,
  type INestMicroservice,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Broker } from '../contracts/broker.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import { resolveOptions } from '../options/resolve-options.js';
import type { TaskStreamsOptions } from '../options/task-streams-options.js';
import { UsageError } from '../task/config-errors.js';
import { countModules, putModuleOutermost } from '../handlers/nest-internals.js';
import { RedisStreamsServer } from '../transport/redis-streams.server.js';
import { TaskRuntime } from '../transport/task-runtime.js';
import { featureModule, type TaskDeclaration } from './feature-module.js';
import type { TaskStreamsAsyncOptions, TaskStreamsModuleExtras } from './module-options.js';
import { optionsProviders } from './options-providers.js';
import { TaskStreamsCoreModule } from './task-streams-core.module.js';

/**
 * Asynchronous tasks on Redis Streams.
 *
 * @example
 * @Module({ imports: [TaskStreamsModule.forRoot({ connection: { url: process.env.REDIS_URL } })] })
 * export class AppModule {}
 *
 * const app = await NestFactory.create(AppModule);
 * TaskStreamsModule.connect(app);
 * await app.startAllMicroservices();
 *
 * @publicApi
 */
@Module({})
export class TaskStreamsModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(ModulesContainer) modules: ModulesContainer,
    @Inject(TaskRuntime) private readonly runtime: TaskRuntime,
    @Inject(BROKER) private readonly broker: Pick<Broker, 'server'>,
  ) {
    if (countModules(modules, TaskStreamsCoreModule) > 1) {
      throw new UsageError(
        'TaskStreamsModule.forRoot is imported twice. Import it once; forFeature is for the other modules.',
      );
    }
    // Workers start when everything else has, and are drained before anything a handler needs is closed.
    putModuleOutermost(modules, TaskStreamsModule);
  }

  /**
   * Sets the library up. Once for an application, in its root module.
   *
   * @param options Default: a Redis on `redis://localhost:6379`, and what `TaskStreamsOptions` says.
   * @param extras Your own store, sink or classifier, and what they need.
   * @throws InvalidOptionError for a value that cannot work or a name that is not known.
   */
  static forRoot(options: TaskStreamsOptions = {}, extras: TaskStreamsModuleExtras = {}): DynamicModule {
    const provider = { provide: RESOLVED_OPTIONS, useValue: resolveOptions(options) };
    return { module: TaskStreamsModule, imports: [TaskStreamsCoreModule.register([provider], extras)] };
  }

  /**
   * As {@link forRoot}, with options that are made when the application starts.
   *
   * @throws UsageError where there is no factory; InvalidOptionError while the application starts.
   */
  static forRootAsync(options: TaskStreamsAsyncOptions): DynamicModule {
    return { module: TaskStreamsModule, imports: [TaskStreamsCoreModule.register(optionsProviders(options), options)] };
  }

  /**
   * Says which queue tasks go to in a process that does not handle them, so that their names are enough, and offers the
   * clients of those queues for `@InjectTaskClient(queue)`.
   *
   * @param tasks Contracts, or names with their queues.
   */
  static forFeature(tasks: readonly TaskDeclaration[] = []): DynamicModule {
    return featureModule(tasks);
  }

  /**
   * Connects the workers to an application that also does something else, such as HTTP. They start with
   * `app.startAllMicroservices()`, when the application has bootstrapped. Guards, pipes, interceptors and filters for the
   * whole application must be set before.
   */
  static connect(app: INestApplication): INestMicroservice {
    return app.connectMicroservice({ strategy: app.get(RedisStreamsServer) }, { inheritAppConfig: true });
  }

  /**
   * Runs after every other bootstrap hook.
   *
   * @throws UsageError, DuplicateHandlerError for handlers that cannot work, with `autoStart`.
   */
  async onApplicationBootstrap(): Promise<void> {
    try {
      this.runtime.bootstrapped();
    } catch (error) {
      // A boot that fails leaves nobody who could close what is open.
      await this.broker.server.close();
      throw error;
    }
  }

  /** Runs before every other destroy hook. */
  async onModuleDestroy(): Promise<void> {
    await this.runtime.stop();
  }
}

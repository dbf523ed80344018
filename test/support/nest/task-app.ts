import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { BROKER } from '../../../libs/task-streams/src/contracts/tokens.js';
import {
  TaskStreamsModule,
  type TaskOutcome,
  type TaskStreamsModuleExtras,
  type TaskStreamsOptions,
} from '../../../libs/task-streams/src/index.js';
import { NestTaskExecutor } from '../../../libs/task-streams/src/transport/nest-task-executor.js';
import { WorkerPool } from '../../../libs/task-streams/src/worker/worker-pool.js';
import { deliveryOf, type DeliveryInput } from './deliveries.js';
import { FakeBroker } from './fake-broker.js';
import { FakePool } from './fake-pool.js';

export interface TaskAppInput extends ModuleMetadata {
  readonly options?: TaskStreamsOptions;
  readonly extras?: TaskStreamsModuleExtras;
  /** What is done to the application before the strategy is connected. */
  readonly configure?: (app: INestApplication) => void;
}

/** An application with task handlers, a connected strategy, and no Redis. */
export interface TaskApp {
  readonly app: INestApplication;
  readonly broker: FakeBroker;
  readonly pool: FakePool;
  /** Runs one delivery through the pipeline. */
  run(input?: DeliveryInput): Promise<TaskOutcome>;
}

/**
 * An application that is made and connected, and not started. Its tasks go through what is bound for the whole application,
 * unless the options say otherwise.
 */
export async function createTaskApp(input: TaskAppInput): Promise<TaskApp> {
  const { options, extras, configure, ...metadata } = input;
  const broker = new FakeBroker();
  const pool = new FakePool();
  const module = await Test.createTestingModule({
    ...metadata,
    imports: [...(metadata.imports ?? []), TaskStreamsModule.forRoot({ enhancers: 'all', ...options }, extras)],
  })
    .overrideProvider(BROKER)
    .useValue(broker)
    .overrideProvider(WorkerPool)
    .useValue(pool)
    .compile();
  const app = module.createNestApplication({ logger: false });
  configure?.(app);
  TaskStreamsModule.connect(app);
  return { app, broker, pool, run: (delivery) => app.get(NestTaskExecutor).execute(deliveryOf(delivery)).outcome };
}

/** The same, started. */
export async function startTaskApp(input: TaskAppInput): Promise<TaskApp> {
  const created = await createTaskApp(input);
  await created.app.startAllMicroservices();
  await created.app.init();
  return created;
}

/** Gives an application a global interceptor that does nothing, so that handlers go through the whole pipeline of Nest. */
export function useWholePipeline(app: INestApplication): void {
  app.useGlobalInterceptors({ intercept: (_, next) => next.handle() });
}

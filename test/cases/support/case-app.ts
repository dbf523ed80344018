import {
  Injectable,
  Module,
  type INestApplicationContext,
  type ModuleMetadata,
  type Provider,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';
import { TaskStreamsHealthIndicator, TaskStreamsHealthModule } from '../../../libs/task-streams/src/health/index.js';
import {
  DeadLetterService,
  RedisStreamsServer,
  TaskClient,
  TaskHandler,
  TaskStreamsModule,
  TaskWorkers,
  type TaskContext,
  type TaskHandlerOptions,
  type TaskStreamsOptions,
  type WorkerEvent,
} from '../../../libs/task-streams/src/index.js';
import { productOptions, QUEUE, type CaseWords } from './options.js';

/** What it takes is up to the case. */
export type CaseHandler = (payload: never, ctx: TaskContext) => unknown;

export interface CaseAppInput extends Pick<ModuleMetadata, 'providers' | 'imports'> {
  readonly url: string;
  readonly prefix: string;
  readonly words?: CaseWords;
  /** Handlers of the queue `q`, by the name of their task. */
  readonly tasks?: Readonly<Record<string, CaseHandler>>;
  readonly handlerOptions?: TaskHandlerOptions;
  /** What is said to the library beside the words of the case. */
  readonly options?: TaskStreamsOptions;
  readonly isProducer?: boolean;
  /** What stands in place of parts of the library. */
  readonly moduleProviders?: readonly Provider[];
}

@Module({})
class Root {}

/** A running Nest application with the library in it. Closed with the test that started it. */
export interface CaseApp {
  readonly app: INestApplicationContext;
  readonly client: TaskClient;
  readonly letters: DeadLetterService;
  readonly health: TaskStreamsHealthIndicator;
  /** What its workers told, in order. */
  readonly events: readonly WorkerEvent[];
  eventsOf<K extends WorkerEvent['kind']>(kind: K): Extract<WorkerEvent, { kind: K }>[];
}

const KINDS = [
  'started',
  'settled',
  'lease-lost',
  'abandoned',
  'stuck',
  'reclaimed',
  'payload-deleted',
  'redis-error',
  'redis-recovered',
] as const satisfies readonly WorkerEvent['kind'][];

export async function startCaseApp(input: CaseAppInput): Promise<CaseApp> {
  const { url, prefix, words = {}, tasks = {}, options = {}, isProducer = false } = input;
  const moduleOptions = {
    ...productOptions(url, prefix, words),
    mode: isProducer ? 'producer' : 'both',
    ...options,
  } as const;
  const root = {
    module: Root,
    imports: [
      TaskStreamsModule.forRoot(moduleOptions, { providers: input.moduleProviders ?? [] }),
      TaskStreamsHealthModule,
      ...(input.imports ?? []),
    ],
    providers: [handlersOf(tasks, input.handlerOptions), ...(input.providers ?? [])],
  };
  const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  const events: WorkerEvent[] = [];
  const server = app.get(RedisStreamsServer);
  for (const kind of KINDS) server.on(kind, (event: WorkerEvent) => events.push(event));
  if (!isProducer) app.get(TaskWorkers).start();
  return {
    app,
    client: app.get(TaskClient),
    letters: app.get(DeadLetterService),
    health: app.get(TaskStreamsHealthIndicator),
    events,
    eventsOf: (kind) => events.filter((event) => event.kind === kind) as never,
  };
}

/** A provider with a handler for each task. */
export function handlersOf(tasks: Readonly<Record<string, CaseHandler>>, options: TaskHandlerOptions = {}): Type {
  @Injectable()
  class Handlers {}
  for (const [name, run] of Object.entries(tasks)) {
    const value = (payload: unknown, ctx: TaskContext): unknown => run(payload as never, ctx);
    Object.defineProperty(Handlers.prototype, name, { value, configurable: true, writable: true });
    const descriptor = Object.getOwnPropertyDescriptor(Handlers.prototype, name) as PropertyDescriptor;
    TaskHandler(name, { queue: QUEUE, ...options })(Handlers.prototype, name, descriptor);
  }
  return Handlers;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

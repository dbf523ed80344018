import { Injectable, Module, type INestApplicationContext, type ModuleMetadata, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Payload } from '@nestjs/microservices';
import type { Redis } from 'ioredis';
import {
  defineTask,
  TaskClient,
  TaskHandler,
  TaskStreamsModule,
  type TaskStreamsOptions,
  TaskWorkers,
} from 'nestjs-task-streams';
import { countCompleted } from '../count-completed.js';
import type { Done, Order } from '../orders.js';
import type { EndState } from '../plan.js';
import type { Session, SessionOptions, Side } from '../side.js';

/** This library: a handler on a provider, all interceptors and the filter on, nothing set but what a mode asks for. */
export const taskStreams: Side = { open, unfinished, endState };

/** What is added to the application of the side. */
interface Additions {
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
  /** Providers of the library's own module. */
  readonly providers?: Provider[];
}

async function open(options: SessionOptions): Promise<Session> {
  return (await openTaskStreams(options)).session;
}

/** Opens this library with something added. */
export async function openTaskStreams(
  options: SessionOptions,
  { imports = [], providers = [] }: Additions = {},
): Promise<{ readonly app: INestApplicationContext; readonly session: Session }> {
  const order = defineTask<Order, Done>('orders.run', { queue: options.queue });

  @Injectable()
  class Orders {
    @TaskHandler(order)
    run(@Payload() payload: Order): Promise<Done> {
      return options.handle(payload);
    }
  }

  const tasksModule = TaskStreamsModule.forRoot(moduleOptions(options), { providers });
  @Module({ imports: [tasksModule, ...imports], providers: [Orders] })
  class BenchModule {}

  const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
  const tasks = app.get(TaskClient);
  const session: Session = {
    add: (payload) => tasks.enqueue(order, payload),
    addMany: (payloads) => tasks.enqueueMany(payloads.map((payload) => ({ task: order, payload }))),
    start: () => app.get(TaskWorkers).start(),
    close: () => app.close(),
  };
  return { app, session };
}

function moduleOptions({ port, concurrency, isKeeping, isRetrying, leaseMs }: SessionOptions): TaskStreamsOptions {
  return {
    connection: { url: `redis://127.0.0.1:${port}` },
    concurrency,
    ...(isKeeping ? {} : { retention: { completedMs: 0 } }),
    ...(isRetrying ? { retry: { backoff: { type: 'fixed', delayMs: 0 } } } : {}),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  };
}

async function unfinished(redis: Redis, queue: string): Promise<number> {
  const [waiting, delayed] = await Promise.all([
    redis.xlen(`ts:{${queue}}:stream`),
    redis.zcard(`ts:{${queue}}:delayed`),
  ]);
  return waiting + delayed;
}

async function endState(redis: Redis, queue: string): Promise<EndState> {
  const base = `ts:{${queue}}:`;
  const [summary] = (await redis.xpending(`${base}stream`, 'workers').catch(() => [0])) as [number];
  return {
    left: (await unfinished(redis, queue)) + (await redis.xlen(`${base}dead`)),
    pending: summary + (await redis.hlen(`${base}owners`)),
    completed: await countCompleted(redis, `${base}t:*`, 'completed '),
  };
}

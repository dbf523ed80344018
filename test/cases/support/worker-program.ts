import 'reflect-metadata';
import { Injectable, Module, type LogLevel, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  RedisStreamsServer,
  TaskHandler,
  TaskStreamsModule,
  TaskWorkers,
  type TaskContext,
  type TaskHandlerOptions,
  type TaskStreamsOptions,
  type WorkerEvent,
} from 'nestjs-task-streams';
import { TaskStreamsHealthIndicator, TaskStreamsHealthModule } from 'nestjs-task-streams/health';
import { Ledger } from './ledger.js';

/** What a worker process is told when it starts. */
export interface WorkerSetup {
  readonly options: TaskStreamsOptions;
  readonly ledger: string;
  /** The tasks it has handlers for, and their options. All of them do what their payload says. */
  readonly tasks: Readonly<Record<string, TaskHandlerOptions>>;
}

/** What a task is to do. Without anything it has its effect at once. */
export interface Work {
  /** Milliseconds before the effect, with a free event loop. */
  readonly ms?: number;
  /** Milliseconds during which nothing else runs in the process. */
  readonly blockMs?: number;
  /** How many attempts throw. */
  readonly failures?: number;
  /** How many hand-outs end the process, and how. */
  readonly deaths?: number;
  readonly death?: 'abort' | 'memory';
  /** Whether it never ends. */
  readonly hangs?: boolean;
}

/** What can be asked of a worker process. */
export type WorkerQuestion = 'ready' | 'live' | 'cpu' | 'memory';

const { options, ledger: file, tasks } = JSON.parse(process.env['CASE_WORKER'] ?? '{}') as WorkerSetup;
const ledger = new Ledger(file);

async function work(payload: Work, ctx: TaskContext): Promise<string> {
  const { taskId, attempt, deliveryCount, bareIdempotencyKey: key } = ctx;
  ledger.note('start', taskId, { attempt, deliveryCount, key, detail: JSON.stringify(payload)?.slice(0, 100) ?? '' });
  ctx.signal.addEventListener('abort', () => ledger.note('aborted', taskId, { detail: `${ctx.signal.reason?.code}` }));
  if (deliveryCount <= (payload.deaths ?? 0)) die(payload.death ?? 'abort');
  if (payload.hangs) await new Promise(() => undefined);
  if (payload.blockMs) block(payload.blockMs);
  if (payload.ms) await new Promise((resolve) => setTimeout(resolve, payload.ms));
  if (attempt <= (payload.failures ?? 0)) throw new Error(`attempt ${attempt} fails`);
  // A stranger to its own task must not have an effect: that is what the signal is for.
  if (!ctx.signal.aborted) ledger.note('effect', taskId, { attempt, deliveryCount, key });
  return taskId;
}

function die(how: 'abort' | 'memory'): void {
  if (how === 'abort') process.abort();
  const hoard: number[][] = [];
  for (;;) hoard.push(Array.from<number>({ length: 1_000_000 }).fill(Math.random()));
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function handlers(): Type {
  @Injectable()
  class Handlers {}
  for (const [name, handlerOptions] of Object.entries(tasks)) {
    Object.defineProperty(Handlers.prototype, name, {
      value: work.bind(undefined),
      configurable: true,
      writable: true,
    });
    const descriptor = Object.getOwnPropertyDescriptor(Handlers.prototype, name) as PropertyDescriptor;
    TaskHandler(name, { queue: 'q', ...handlerOptions })(Handlers.prototype, name, descriptor);
  }
  return Handlers;
}

@Module({
  imports: [TaskStreamsModule.forRoot(options), TaskStreamsHealthModule],
  providers: [handlers()],
})
class WorkerModule {}

const levels: LogLevel[] = ['log', 'warn', 'error', 'fatal'];
const app = await NestFactory.createApplicationContext(WorkerModule, { logger: levels });
app.enableShutdownHooks();
const server = app.get(RedisStreamsServer);
for (const kind of ['lease-lost', 'reclaimed', 'abandoned'] as const) {
  server.on(kind, (event: Extract<WorkerEvent, { kind: typeof kind }>) => {
    const { taskId, deliveryCount } = event.delivery;
    const previousOwner = event.kind === 'reclaimed' ? event.previousOwner : undefined;
    ledger.note(kind, taskId, { deliveryCount, ...(previousOwner === undefined ? {} : { previousOwner }) });
  });
}
server.on('settled', ({ delivery, outcome, reply }) => {
  if (reply.kind === 'done' && outcome.kind !== 'dead-letter') return;
  ledger.note(reply.kind === 'done' ? outcome.kind : reply.kind, delivery.taskId);
});
server.on('payload-deleted', ({ count }) => ledger.note('payload-deleted', '', { detail: `${count}` }));
server.on('redis-error', ({ operation, error }) =>
  ledger.note('redis-error', '', { detail: `${operation}: ${error.message}` }),
);
app.get(TaskWorkers).start();

const health = app.get(TaskStreamsHealthIndicator);
process.on('message', (question: WorkerQuestion) => void answer(question));
// Whoever started this process is gone.
process.on('disconnect', () => process.exit(1));
process.send?.({ started: true });

async function answer(question: WorkerQuestion): Promise<void> {
  const answers: Record<WorkerQuestion, () => unknown> = {
    ready: () => health.isReady('tasks'),
    live: () => health.isLive('tasks'),
    cpu: () => process.cpuUsage(),
    memory: () => process.memoryUsage(),
  };
  process.send?.({ question, answer: await answers[question]() });
}

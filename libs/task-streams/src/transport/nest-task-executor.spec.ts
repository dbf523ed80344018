import { Injectable } from '@nestjs/common';
import { IsInt, IsString, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { Ctx, Payload } from '@nestjs/microservices';
import { afterEach, describe, expect, it } from 'vitest';
import { deliveryOf, type DeliveryInput } from '../../../../test/support/nest/deliveries.js';
import {
  startTaskApp,
  type TaskApp,
  type TaskAppInput,
  useWholePipeline,
} from '../../../../test/support/nest/task-app.js';
import type { RunningTask } from '../contracts/task-executor.interface.js';
import type { DeadLetterSink } from '../contracts/dead-letter-sink.interface.js';
import { DEAD_LETTER_SINK } from '../contracts/tokens.js';
import type { TaskStreamsOptions } from '../options/task-streams-options.js';
import { TaskContext } from '../pipeline/task-context.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { UnrecoverableError } from '../task/handler-errors.js';
import { defineTask } from '../task/task-contract.js';
import { LeaseLostError, LeaseUncertainError, TaskTimeoutError, WorkerStoppingError } from '../task/worker-errors.js';
import { NestTaskExecutor } from './nest-task-executor.js';
import { RedisStreamsServer } from './redis-streams.server.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';
import { Attempt, TaskId, TaskSignal } from '../handlers/task-params.decorators.js';

class Line {
  @IsInt() readonly count!: number;
}

class Order {
  @IsString() readonly id!: string;
  @ValidateNested({ each: true }) @Type(() => Line) readonly lines!: Line[];
}

class WithoutRules {
  readonly id!: string;
}

interface OrderLike {
  readonly id: string;
}

const placeOrder = defineTask<OrderLike>('orders.place', { queue: 'orders', payload: Order });

let body: (context: TaskContext, payload?: unknown) => unknown = () => undefined;

@Injectable()
class Handlers {
  @TaskHandler('work', { timeoutMs: 50 })
  work(payload: unknown, context: TaskContext): unknown {
    return body(context, payload);
  }

  @TaskHandler('order')
  order(@Ctx() _context: TaskContext, @Payload() order: Order): unknown {
    return { isOrder: order instanceof Order, isLine: order.lines[0] instanceof Line };
  }

  @TaskHandler('rules.none')
  loose(payload: WithoutRules): unknown {
    return payload;
  }

  @TaskHandler('rules.off', { validate: false })
  unchecked(order: Order): unknown {
    return order instanceof Order;
  }

  @TaskHandler(placeOrder)
  place(order: OrderLike): unknown {
    return order instanceof Order;
  }

  @TaskHandler('params')
  params(@TaskId() id: string, @Attempt() attempt: number, @TaskSignal() signal: AbortSignal): unknown {
    return [id, attempt, signal.aborted];
  }
}

let running: TaskApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

async function start(
  options: TaskStreamsOptions = {},
  sink?: DeadLetterSink,
  input: Partial<TaskAppInput> = {},
): Promise<TaskApp> {
  const providers = sink ? [{ provide: DEAD_LETTER_SINK, useValue: sink }] : [];
  running = await startTaskApp({ providers: [Handlers], options, extras: { providers }, ...input });
  return running;
}

function execute({ app }: TaskApp, input?: DeliveryInput): RunningTask {
  return app.get(NestTaskExecutor).execute(deliveryOf(input));
}

describe('an entry that cannot be run', () => {
  it.each<[string, DeliveryInput]>([
    ['crash-limit', { deliveryCount: 5, trial: 'blamed', body: '{' }],
    ['invalid-json', { body: '{' }],
    ['invalid-json', { body: '\ufeff{}' }],
    ['payload-too-large', { payload: 'x'.repeat(100) }],
    ['payload-too-deep', { body: '[[[[[[1]]]]]]' }],
    ['missing-field', { fields: ['head', '2'] }],
  ])('becomes a dead letter: %s', async (reason, input) => {
    const { run } = await start({ limits: { maxPayloadBytes: 60, maxPayloadDepth: 5 } });
    expect(await run(input)).toMatchObject({
      kind: 'dead-letter',
      keep: true,
      info: { reason, worker: 'spec-worker' },
    });
  });

  it.each<[string, DeliveryInput]>([
    ['unknown-task', { name: 'never.heard' }],
    ['unsupported-version', { fields: ['head', '9\na\nx\n\n', 'meta', '{"deferredSince":1}'] }],
  ])('is offered again for a while: %s', async (reason, input) => {
    const { run } = await start();
    const fresh = await run({ name: 'never.heard' });
    expect(fresh.kind === 'defer' && fresh.delayMs).toBeGreaterThanOrEqual(1_000);
    expect(fresh.kind === 'defer' && fresh.delayMs).toBeLessThanOrEqual(1_500);
    const since = Date.now() - 8_000;
    const later = await run({ name: 'never.heard', meta: { deferredSince: since } });
    expect(later.kind === 'defer' && later.delayMs).toBeGreaterThanOrEqual(8_000);
    expect(later).toMatchObject({ meta: { deferredSince: since } });
    expect(await run({ ...input, meta: { deferredSince: 1 } })).toMatchObject({
      kind: 'dead-letter',
      info: { reason },
    });
  });

  it.each([
    ['{"__proto__":{"admin":true}}', 'payload.__proto__'],
    ['{"a":[{"\\u005f_proto__":{"admin":true},"b":1}]}', 'payload.a[0].__proto__'],
  ])('is not run with a member __proto__ in its payload: %s', async (text, path) => {
    const { run } = await start();
    expect(await run({ body: text })).toMatchObject({
      kind: 'dead-letter',
      info: { reason: 'validation', error: { message: `there is a member __proto__ at ${path}` } },
    });
  });

  it('gets every other member as it was sent', async () => {
    const { run } = await start();
    body = (_context, payload) => payload;
    const text = '{"constructor":{"prototype":1},"s":"__proto__","hasOwnProperty":2,"toJSON":3}';
    expect(await run({ body: text })).toMatchObject({ kind: 'complete', result: { json: text } });
  });
});

describe('validation', () => {
  it('makes an instance of the class of the payload parameter, nested ones too', async () => {
    const { run } = await start();
    const outcome = await run({ name: 'order', payload: { id: 'a', lines: [{ count: 1 }] } });
    expect(outcome).toMatchObject({ kind: 'complete', result: { json: '{"isOrder":true,"isLine":true}' } });
  });

  it.each(['constructor', 'prototype'])('sets a payload aside whose member %s the class would lose', async (name) => {
    const { run } = await start();
    const payload = { id: 'a', lines: [{ count: 1, [name]: 1 }] };
    expect(await run({ name: 'order', payload })).toMatchObject({
      kind: 'dead-letter',
      info: {
        reason: 'validation',
        error: { details: [expect.stringContaining(`payload.lines[0].${name} would be lost`)] },
      },
    });
  });

  it.each([[{ id: 1, lines: [{ count: 'x' }] }], ['text'], [null], [[{ id: 'a' }]]])(
    'sets a bad payload aside without a retry: %j',
    async (payload) => {
      const { run } = await start();
      const outcome = await run({ name: 'order', payload });
      expect(outcome).toMatchObject({ kind: 'dead-letter', info: { reason: 'validation', failedAttempts: 1 } });
      expect(outcome.kind === 'dead-letter' && outcome.info.error?.details).toBeInstanceOf(Array);
    },
  );

  it('uses the class of the contract where the parameter is an interface', async () => {
    const { run } = await start();
    expect(await run({ queue: 'orders', name: 'orders.place', payload: { id: 7 } })).toMatchObject({
      info: { reason: 'validation' },
    });
  });

  it('leaves classes without rules alone, and handlers and modules that switched it off', async () => {
    const { run } = await start();
    expect(await run({ name: 'rules.none', payload: { id: 7, more: 1 } })).toMatchObject({
      result: { json: '{"id":7,"more":1}' },
    });
    expect(await run({ name: 'rules.off', payload: { id: 7 } })).toMatchObject({ result: { json: 'false' } });
    await running?.app.close();
    const off = await start({ validate: false });
    expect(await off.run({ queue: 'orders', name: 'orders.place', payload: { id: 7 } })).toMatchObject({
      result: { json: 'false' },
    });
  });
});

describe('the context of a task', () => {
  it('knows the task, and gives its parts to parameters', async () => {
    const { run } = await start();
    body = ({
      ref,
      taskId,
      name,
      queue,
      attempt,
      deliveryCount,
      idempotencyKey,
      bareIdempotencyKey,
      headers,
      enqueuedAt,
    }) => ({
      ref,
      taskId,
      name,
      queue,
      attempt,
      deliveryCount,
      idempotencyKey,
      bareIdempotencyKey,
      tenant: headers['tenant'],
      enqueuedAt,
    });
    const outcome = await run({
      taskId: 'a',
      key: 'k',
      keyClaim: { kind: 'won' },
      deliveryCount: 2,
      meta: { failedAttempts: 1 },
      head: { headers: { tenant: 'acme' } },
    });
    expect(outcome.kind === 'complete' && outcome.result.kind === 'stored' && JSON.parse(outcome.result.json)).toEqual({
      ...{ ref: 'default~0~a', taskId: 'a', name: 'work', queue: 'default', attempt: 2, deliveryCount: 2 },
      ...{
        idempotencyKey: ['default', 'work', 'k'].join('/'),
        bareIdempotencyKey: 'k',
        tenant: 'acme',
        enqueuedAt: 1_000,
      },
    });
    expect(await run({ name: 'params', taskId: 'b' })).toMatchObject({ result: { json: '["b",1,false]' } });
  });

  it('enqueues follow-ups with the completion, under ids that stay the same', async () => {
    const { run } = await start();
    body = (context) => {
      context.enqueue('mail.send', { to: 'a' });
      return context.enqueue(placeOrder, { id: 'x' }, { delayMs: 5 });
    };
    const outcome = await run({ taskId: 'a' });
    expect(outcome).toMatchObject({
      kind: 'complete',
      result: { json: '{"id":"a:rs:2","queue":"orders","ref":"orders~0~a%3Ars%3A2"}' },
      followUps: [
        { queue: 'default', item: { id: 'a:rs:1', name: 'mail.send', body: '{"to":"a"}' } },
        { queue: 'orders', item: { id: 'a:rs:2', name: 'orders.place', delayMs: 5 } },
      ],
    });
  });

  it('writes the first and the newest progress, and none after the end', async () => {
    const app = await start();
    body = async (context) => {
      context.progress(1);
      context.progress(2);
      context.progress(1n);
      context.progress(3);
      await new Promise((resolve) => setTimeout(resolve, 520));
      context.progress(4);
    };
    await app.run();
    expect(app.broker.progress.map(({ json }) => json)).toEqual(['1', '3']);
  });
});

describe('a task that is told to stop', () => {
  const untilAborted = (context: TaskContext): Promise<never> =>
    new Promise((_resolve, reject) => {
      context.signal.throwIfAborted();
      context.signal.addEventListener('abort', () => reject(context.signal.reason as Error), { once: true });
    });

  it.each([
    [new WorkerStoppingError(1), { kind: 'release' }],
    [new LeaseLostError('a'), { kind: 'lost' }],
    [new LeaseUncertainError('a', 900, 'redis'), { kind: 'release' }],
    [new LeaseUncertainError('a', 900, 'event-loop'), { kind: 'release', burnsHandOut: true }],
    [new TaskTimeoutError('work', 50), { kind: 'retry', meta: { failedAttempts: 1 } }],
  ])('comes to the right outcome: %s', async (reason, expected) => {
    const app = await start();
    body = untilAborted;
    const task = execute(app);
    setTimeout(() => task.abort(reason), 1);
    expect(await task.outcome).toMatchObject(expected);
  });

  it('completes when the handler returns all the same', async () => {
    const app = await start();
    body = (context) => untilAborted(context).catch(() => 'done');
    const task = execute(app);
    setTimeout(() => task.abort(new WorkerStoppingError(1)), 1);
    expect((await task.outcome).kind).toBe('complete');
  });

  it('counts a timeout as a failed attempt, and as a dead letter in the end', async () => {
    const app = await start();
    body = untilAborted;
    const task = execute(app);
    expect(task.timeoutMs).toBe(50);
    expect(task.timeOut()).toMatchObject({ kind: 'retry', error: { name: 'TaskTimeoutError' } });
    const last = execute(app, { meta: { failedAttempts: 4 } });
    expect(last.timeOut()).toMatchObject({ kind: 'dead-letter', keep: true, info: { reason: 'timeout' } });
    for (const late of [task, last]) late.abort(new TaskTimeoutError('work', 50));
    await Promise.all([task.outcome, last.outcome]);
  });

  it('starts nothing once it is over', async () => {
    // With other enhancers there is a moment between the two.
    const app = await start({}, undefined, { configure: useWholePipeline });
    let isStarted = false;
    body = () => (isStarted = true);
    const task = execute(app);
    task.abort(new LeaseLostError('a'));
    expect(await task.outcome).toEqual({ kind: 'lost' });
    expect(isStarted).toBe(false);
  });

  it('lets the message choose another timeout', async () => {
    body = () => 'ok';
    const task = execute(await start(), { head: { options: { timeoutMs: 7 } } });
    expect(task.timeoutMs).toBe(7);
    await task.outcome;
  });
});

describe('the dead-letter sink', () => {
  const sinkOf = (replacesStream: boolean, letters: DeadLetter[], error?: Error): DeadLetterSink => ({
    replacesStream,
    take: async (letter) => {
      letters.push(letter);
      if (error) throw error;
    },
  });

  it.each([
    [true, undefined, false],
    [false, undefined, true],
    [true, new Error('sink down'), true],
  ])('takes a letter once; replacing: %s, failing with %s, the stream keeps it: %s', async (replaces, error, keep) => {
    const letters: DeadLetter[] = [];
    const { run } = await start({}, sinkOf(replaces, letters, error));
    body = () => Promise.reject(new UnrecoverableError('no'));
    expect(await run({ taskId: 'a', payload: { x: 1 } })).toMatchObject({ kind: 'dead-letter', keep });
    expect(letters).toMatchObject([{ taskId: 'a', name: 'work', body: '{"x":1}', reason: 'non-retryable' }]);
  });

  it('is offered what never ran, too', async () => {
    const letters: DeadLetter[] = [];
    const { run } = await start({}, sinkOf(true, letters));
    expect(await run({ body: '{' })).toMatchObject({ kind: 'dead-letter', keep: false });
    expect(letters).toMatchObject([{ reason: 'invalid-json', body: '{' }]);
  });
});

describe('processing hooks', () => {
  it('are each called once for a task, the end hook on a failure too', async () => {
    const { app, run } = await start();
    const calls: string[] = [];
    const server = app.get(RedisStreamsServer);
    server.setOnProcessingStartHook((_transport, context, done) => {
      calls.push(`start ${context.taskId}`);
      void done();
    });
    server.setOnProcessingEndHook((_transport, context) => {
      calls.push(`end ${context.taskId}`);
      throw new Error('a broken hook');
    });
    body = () => 'ok';
    expect((await run({ taskId: 'a' })).kind).toBe('complete');
    body = () => Promise.reject(new Error('boom'));
    expect((await run({ taskId: 'b' })).kind).toBe('retry');
    expect(calls).toEqual(['start a', 'end a', 'start b', 'end b']);
  });
});

import { Injectable, Logger, Module, type INestApplication } from '@nestjs/common';
import { ClientsModule, type ClientProxy } from '@nestjs/microservices';
import { NestFactory } from '@nestjs/core';
import { context, propagation, trace } from '@opentelemetry/api';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  DeadLetterService,
  RedisStreamsServer,
  TaskClient,
  TaskHandler,
  TaskStreamsClientProxy,
  TaskStreamsModule,
  type TaskContext,
} from 'nestjs-task-streams';
import { createTaskTracing, openTelemetry, type TaskStreamsOtelOptions } from 'nestjs-task-streams/otel';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';

import { Telemetry } from '../../support/observability/telemetry.js';

const inside: { traceId: string | undefined; baggage: string | undefined; headers: object }[] = [];

@Injectable()
class Handlers {
  @TaskHandler('work', { queue: 'traced', retry: { attempts: 2, backoff: [1] } })
  async work(@Payload() payload: { readonly fails?: boolean; readonly child?: boolean }, @Ctx() ctx: TaskContext) {
    await Promise.resolve();
    inside.push({
      traceId: trace.getActiveSpan()?.spanContext().traceId,
      baggage: propagation.getActiveBaggage()?.getEntry('tenant')?.value,
      headers: { ...ctx.headers },
    });
    if (payload.fails) throw new RangeError('no');
    if (payload.child) ctx.enqueue('work', {});
  }

  @TaskHandler('hangs', { queue: 'traced', timeoutMs: 50, retry: { attempts: 1 } })
  hangs(): Promise<never> {
    return new Promise(() => undefined);
  }
}

let telemetry: Telemetry;
let runs = 0;

beforeEach(() => {
  inside.length = 0;
  telemetry = new Telemetry();
});

afterEach(() => telemetry.stop());

async function start(options: TaskStreamsOtelOptions = {}, configure?: (app: INestApplication) => void) {
  runs += 1;
  const { tracerProvider, meterProvider } = telemetry;
  const redis = {
    connection: { url: inject('redisUrl') },
    prefix: `otel-${process.pid}-${runs}`,
    timing: { promoteMs: 20, blockMs: 50, sweepMs: 50 },
    shutdownTimeoutMs: 100,
  };
  @Module({
    imports: [
      TaskStreamsModule.forRoot(
        { ...redis, enhancers: 'all' },
        { providers: openTelemetry({ tracerProvider, meterProvider, ...options }) },
      ),
      ClientsModule.register([
        {
          name: 'PROXY',
          customClass: TaskStreamsClientProxy,
          options: { ...redis, queue: 'traced', tracing: createTaskTracing({ tracerProvider }) },
        },
      ]),
    ],
    providers: [Handlers],
  })
  class App {}
  const app = await NestFactory.create(App, { logger: false });
  onTestFinished(() => app.close());
  configure?.(app);
  TaskStreamsModule.connect(app);
  await app.startAllMicroservices();
  await app.init();
  return { app, tasks: app.get(TaskClient) };
}

const named = (name: string) => telemetry.spans().filter((span) => span.name === name);

describe.each([
  ['the short way', undefined],
  [
    'the long way',
    (app: INestApplication) => void app.useGlobalInterceptors({ intercept: (_, next) => next.handle() }),
  ],
])('a traced task, by %s', (_, configure) => {
  it('is sent, processed in a trace of its own that is linked to the sender, and settled', async () => {
    const { tasks } = await start({}, configure);
    const request = telemetry.tracer.startSpan('request');
    const { ref, id } = await context.with(trace.setSpan(context.active(), request), () => tasks.enqueue('work', {}));
    await tasks.result(ref);
    await expect.poll(() => named('settle traced')).toHaveLength(1);

    const [send] = named('send traced');
    const [process] = named('process traced');
    const [settle] = named('settle traced');
    expect(send).toMatchObject({
      kind: 'PRODUCER',
      traceId: request.spanContext().traceId,
      parentId: request.spanContext().spanId,
      attributes: {
        'messaging.system.name': 'redis',
        'messaging.operation.name': 'send',
        'messaging.operation.type': 'send',
        'messaging.destination.name': 'traced',
        'messaging.message.id': id,
        'messaging.message.body.size': 2,
        'server.address': '127.0.0.1',
        'task_streams.task.name': 'work',
      },
    });
    expect(process).toMatchObject({
      kind: 'CONSUMER',
      parentId: undefined,
      links: [send?.spanId],
      isError: false,
      attributes: {
        'messaging.operation.type': 'process',
        'messaging.consumer.group.name': 'workers',
        'messaging.redis.delivery_count': 1,
        'task_streams.attempt': 1,
        'task_streams.outcome': 'completed',
      },
    });
    expect(process?.traceId).not.toBe(send?.traceId);
    expect(inside[0]?.traceId).toBe(process?.traceId);
    expect(settle).toMatchObject({
      kind: 'CLIENT',
      parentId: process?.spanId,
      attributes: { 'messaging.operation.name': 'ack', 'messaging.operation.type': 'settle' },
    });
    expect(Object.keys(send?.attributes ?? {})).not.toContain('messaging.system');
  });

  it('has a span for each attempt, red where it failed, and one for the redrive', async () => {
    const { app, tasks } = await start({}, configure);
    const { ref } = await tasks.enqueue('work', { fails: true });
    await expect(tasks.result(ref)).rejects.toThrow();
    await expect.poll(() => named('settle traced')).toHaveLength(2);
    const letters = app.get(DeadLetterService);
    const [letter] = (await letters.list('traced')).letters;
    await letters.redrive('traced', letter?.entryId ?? '', { payload: {} });
    await expect.poll(() => named('process traced')).toHaveLength(3);

    const [send, redrive] = named('send traced');
    const attempts = named('process traced');
    expect(attempts.map(({ links }) => links)).toEqual([[send?.spanId], [send?.spanId], [send?.spanId]]);
    expect(attempts).toMatchObject([
      { isError: true, attributes: { 'task_streams.outcome': 'retrying', 'error.type': 'RangeError' } },
      { isError: true, attributes: { 'task_streams.attempt': 2, 'task_streams.outcome': 'dead' } },
      { isError: false, attributes: { 'task_streams.attempt': 1 } },
    ]);
    expect(attempts[0]?.exceptions).toMatchObject([{ 'exception.type': 'RangeError', 'exception.message': 'no' }]);
    expect(
      named('settle traced')
        .map(({ attributes }) => attributes['messaging.operation.name'])
        .slice(0, 2),
    ).toEqual(['retry', 'dead_letter']);
    expect(redrive).toMatchObject({
      kind: 'PRODUCER',
      links: [send?.spanId],
      attributes: { 'messaging.operation.name': 'redrive' },
    });
  });
});

describe('tracing', () => {
  it('has a span for each batch of a redrive of many, linked to the senders, and one log line for all of it', async () => {
    const { app, tasks } = await start();
    const receipts = await Promise.all([1, 2, 3].map(() => tasks.enqueue('work', { fails: true })));
    await Promise.all(receipts.map(({ ref }) => expect(tasks.result(ref)).rejects.toThrow()));
    const senders = named('send traced').map(({ spanId }) => spanId);
    const lines: object[] = [];
    const log = vi
      .spyOn(Logger.prototype, 'log')
      .mockImplementation((_, fields: unknown) => void lines.push(fields as object));
    onTestFinished(() => log.mockRestore());

    await app.get(DeadLetterService).redriveMany('traced', {}, { patch: { fails: false }, actor: 'ann' });

    const redrives = named('send traced').filter((span) => span.attributes['messaging.operation.name'] === 'redrive');
    expect(redrives.map(({ attributes }) => attributes['messaging.batch.message_count'])).toEqual([3]);
    expect(redrives.flatMap(({ links }) => links).sort()).toEqual([...senders].sort());
    expect(redrives[0]).toMatchObject({ kind: 'PRODUCER', isError: false });
    expect(lines).toEqual([
      { event: 'dead-letters-redriven', queue: 'traced', by: 'ann', count: 3, refusedCount: 0, failedCount: 0 },
    ]);
  });

  it('makes an attempt a child of its sender on request, and leaves expected errors green', async () => {
    const { tasks } = await start({ parent: 'producer', isError: (error) => !(error instanceof RangeError) });
    const { ref } = await tasks.enqueue('work', { fails: true });
    await expect(tasks.result(ref)).rejects.toThrow();

    const [send] = named('send traced');
    expect(named('process traced')[0]).toMatchObject({
      traceId: send?.traceId,
      parentId: send?.spanId,
      links: [],
      isError: false,
    });
  });

  it('links a list, follow-ups and what comes through a ClientProxy', async () => {
    const { app, tasks } = await start();
    const receipts = await tasks.enqueueMany([
      { task: 'work', payload: { child: true } },
      { task: 'work', payload: {} },
    ]);
    await Promise.all(receipts.map(({ ref }) => tasks.result(ref)));
    await expect.poll(() => named('process traced')).toHaveLength(3);
    await firstValueFrom(app.get<ClientProxy>('PROXY').emit('work', {}));
    await expect.poll(() => named('process traced')).toHaveLength(4);

    const created = named('create traced').map(({ spanId }) => spanId);
    const [list, proxied] = named('send traced');
    expect(list).toMatchObject({
      kind: 'CLIENT',
      links: created.slice(0, 2),
      attributes: { 'messaging.batch.message_count': 2 },
    });
    const linked = named('process traced').flatMap(({ links }) => links);
    expect(new Set(linked)).toEqual(new Set([...created, proxied?.spanId]));
    // The follow-up belongs to the attempt that made it.
    const child = named('create traced')[2];
    expect(named('process traced').map(({ spanId }) => spanId)).toContain(child?.parentId);
  });

  it('carries baggage only where it is told to', async () => {
    for (const baggage of [false, true]) {
      inside.length = 0;
      const { tasks } = await start({ baggage });
      const bag = propagation.createBaggage({ tenant: { value: 'acme' } });
      const { ref } = await context.with(propagation.setBaggage(context.active(), bag), () =>
        tasks.enqueue('work', {}),
      );
      await tasks.result(ref);

      expect(inside[0]?.baggage).toBe(baggage ? 'acme' : undefined);
      expect(Object.keys(inside[0]?.headers ?? {})).toEqual(baggage ? ['traceparent', 'baggage'] : ['traceparent']);
    }
  });

  it('ends the span of an attempt that timed out, whatever its handler does', async () => {
    const { tasks } = await start();
    const { ref } = await tasks.enqueue('hangs', {}, { queue: 'traced' });
    await expect(tasks.result(ref)).rejects.toThrow();

    expect(named('process traced')).toMatchObject([
      { isError: true, attributes: { 'error.type': 'TaskTimeoutError', 'task_streams.dead_letter.reason': 'timeout' } },
    ]);
  });

  it('marks an enqueue that failed', async () => {
    const { tasks } = await start();
    await tasks.enqueue('work', {}, { id: 'a' });
    await expect(tasks.enqueue('work', { other: 1 }, { id: 'a' })).rejects.toThrow();

    expect(named('send traced')[1]).toMatchObject({
      isError: true,
      attributes: { 'error.type': 'TaskConflictError' },
    });
  });

  it('leaves the processing hooks of Nest inside the span', async () => {
    const seen: (string | undefined)[] = [];
    const { tasks } = await start({}, (app) => {
      app.get(RedisStreamsServer).setOnProcessingStartHook((_id, _context, done) => {
        seen.push(trace.getActiveSpan()?.spanContext().spanId);
        void done();
      });
    });
    await tasks.result((await tasks.enqueue('work', {})).ref);

    expect(seen).toEqual([named('process traced')[0]?.spanId]);
  });

  it('makes no spans while nothing is to do', async () => {
    const { tasks } = await start();
    await tasks.result((await tasks.enqueue('work', {})).ref);
    await expect.poll(() => named('settle traced')).toHaveLength(1);
    const before = telemetry.spans().length;
    // Long enough for several blocking reads, sweeps and looks for delayed tasks: as many as it takes for a delayed one.
    const { ref } = await tasks.enqueue('work', {}, { delayMs: 300 });
    await tasks.result(ref);
    await expect.poll(() => named('settle traced')).toHaveLength(2);

    expect(telemetry.spans().length - before).toBe(3);
  });

  it('gives the old names too with the switch for both', async () => {
    process.env['OTEL_SEMCONV_STABILITY_OPT_IN'] = 'http,messaging/dup';
    onTestFinished(() => void delete process.env['OTEL_SEMCONV_STABILITY_OPT_IN']);
    const { tasks } = await start();
    await tasks.result((await tasks.enqueue('work', {})).ref);

    expect(named('send traced')[0]?.attributes).toMatchObject({
      'messaging.system.name': 'redis',
      'messaging.system': 'redis',
      'messaging.operation': 'publish',
    });
  });

  it('keeps the metrics of the conventions', async () => {
    const { tasks } = await start();
    await tasks.result((await tasks.enqueue('work', {})).ref);
    const { ref } = await tasks.enqueue('work', { fails: true });
    await expect(tasks.result(ref)).rejects.toThrow();
    await expect.poll(() => named('settle traced')).toHaveLength(3);

    const of = async (name: string) => telemetry.points(name);
    expect(await of('messaging.client.sent.messages')).toMatchObject([
      { value: 2, attributes: { 'messaging.destination.name': 'traced', 'messaging.operation.name': 'send' } },
    ]);
    expect(await of('messaging.client.consumed.messages')).toMatchObject([{ value: 3 }]);
    expect(await of('messaging.client.operation.duration')).toMatchObject([{ value: 2 }]);
    expect(await of('messaging.process.duration')).toMatchObject([
      { value: 1 },
      { value: 2, attributes: { 'error.type': 'RangeError' } },
    ]);
  });

  it('names the option that cannot work', () => {
    expect(() => openTelemetry({ parent: 'sender' as never })).toThrow('openTelemetry.parent');
    expect(() => openTelemetry({ tracerProvider: {} as never })).toThrow('give a provider');
  });
});

import {
  Catch,
  Controller,
  Get,
  HttpException,
  Injectable,
  Module,
  UseInterceptors,
  type CallHandler,
  type ExceptionFilter,
  type ExecutionContext,
  type INestApplication,
  type NestInterceptor,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RpcException } from '@nestjs/microservices';
import { EMPTY, NEVER, from, of, throwError, timer } from 'rxjs';
import { delay, mergeMap, tap } from 'rxjs/operators';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisStreamsServer, TaskClient, TaskHandler, TaskStreamsModule } from '../../libs/task-streams/src/index.js';
import { Bench, many } from './support/bench.js';
import { productOptions, QUEUE } from './support/options.js';

class CardDeclinedError extends Error {
  override readonly name = 'CardDeclinedError';
  readonly code = 'DECLINED';
}

describe('an error of a handler', () => {
  it('is retried and set aside as what it was, whatever Nest makes of such errors', async () => {
    const bench = await Bench.open();
    const errors: Record<string, unknown> = {
      rpc: new RpcException('the partner said no'),
      http: new HttpException('the upstream is down', 502),
      plain: new CardDeclinedError('no money'),
      text: 'just a text',
    };
    const tasks = Object.fromEntries(
      Object.entries(errors).map(([name, error]) => [
        name,
        () => {
          throw error;
        },
      ]),
    );
    const { client, letters } = await bench.app({ words: { maxAttempts: 2 }, tasks });
    for (const name of Object.keys(errors)) await client.enqueueMany(many(5, {}, name, name));

    await bench.drained();
    const page = await letters.list(QUEUE);
    expect(page.letters.length).toBe(20);
    expect(page.letters.every((letter) => letter.failedAttempts === 2 && letter.reason === 'attempts-exhausted')).toBe(
      true,
    );
    const kinds = new Set(
      page.letters.map(({ name, error }) => [name, error?.name, error?.message, error?.code].join('|')),
    );
    expect(kinds).toEqual(
      new Set([
        'rpc|RpcException|the partner said no|',
        'http|HttpException|the upstream is down|',
        'plain|CardDeclinedError|no money|DECLINED',
        'text|NonError|just a text|',
      ]),
    );
  });
});

describe('an error of a class that does not name itself', () => {
  class PartnerAwayError extends Error {}

  it.each([new RpcException('away'), new PartnerAwayError('away')])('is kept with its class: %s', async (error) => {
    const bench = await Bench.open();
    const { client, letters } = await bench.app({
      words: { maxAttempts: 1 },
      tasks: {
        job: () => {
          throw error;
        },
      },
    });
    await client.enqueue('job', {}, { queue: QUEUE });
    await expect.poll(() => letters.count(QUEUE)).toBe(1);
    const [letter] = (await letters.list(QUEUE)).letters;
    expect(letter?.error?.name).toBe(error.constructor.name);
  });
});

describe('a handler that answers', () => {
  it('is waited for until it has ended, whatever kind of answer it gives', async () => {
    const bench = await Bench.open();
    const ended: string[] = [];
    const end = (name: string) => tap({ complete: () => ended.push(name) });
    const { client, letters, events } = await bench.app({
      words: { maxAttempts: 2, taskTimeout: 600 },
      tasks: {
        promise: async () => 'p',
        value: () => 'v',
        empty: () => EMPTY.pipe(end('empty')),
        one: () => of('o').pipe(delay(200), end('one')),
        three: () => from(['1', '2', '3']).pipe(end('three')),
        failing: () => timer(100).pipe(mergeMap(() => throwError(() => new Error('in the stream')))),
        endless: () => NEVER,
      },
    });
    const refs: Record<string, string> = {};
    for (const name of ['promise', 'value', 'empty', 'one', 'three', 'failing', 'endless']) {
      refs[name] = (await client.enqueue(name, {}, { id: name, queue: QUEUE })).ref;
    }

    await bench.drained();
    const results = await Promise.all(
      ['promise', 'value', 'one', 'three'].map((name) => client.result(refs[name] ?? '')),
    );
    expect(results).toEqual(['p', 'v', 'o', '3']);
    expect(await client.get(refs['empty'] ?? '')).toMatchObject({ state: 'completed' });
    expect(ended.toSorted()).toEqual(['empty', 'one', 'three']);
    const dead = (await letters.list(QUEUE)).letters.map(
      ({ name, reason, error }) => `${name}: ${reason}, ${error?.message}`,
    );
    expect(dead.toSorted()).toEqual([
      expect.stringMatching(/^endless: timeout, .*600 ms/),
      'failing: attempts-exhausted, in the stream',
    ]);
    const settledOne = events.find((event) => event.kind === 'settled' && event.delivery.taskId === 'one');
    expect(settledOne).toMatchObject({ durationMs: expect.toSatisfy((ms: number) => ms >= 190) });
  });
});

describe('an application that serves HTTP too', () => {
  const calls: string[] = [];

  @Catch()
  class HttpOnlyFilter implements ExceptionFilter {
    catch(error: unknown): void {
      calls.push(`filter ${error instanceof Error ? error.message : ''}`);
      throw error;
    }
  }

  @Injectable()
  class CountingInterceptor implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler) {
      calls.push(`interceptor ${context.getType()}`);
      return next.handle();
    }
  }

  @Controller()
  class Shop {
    @TaskHandler('pay', {
      queue: QUEUE,
      retry: { attempts: 2 },
      idempotency: { key: (payload: { id: string }) => payload.id },
    })
    pay(payload: { readonly id: string; readonly fails?: boolean }): string {
      calls.push(`pay ${payload.id}`);
      if (payload.fails) throw new Error('declined');
      return payload.id;
    }

    @Get('hello')
    @UseInterceptors(CountingInterceptor)
    hello(): string {
      calls.push('hello');
      return 'hi';
    }

    @Get('broken')
    broken(): string {
      throw new HttpException('teapot', 418);
    }
  }

  const connections: readonly { readonly how: string; readonly connect: (app: INestApplication) => void }[] = [
    { how: 'as documented', connect: (app) => TaskStreamsModule.connect(app) },
    {
      how: 'by hand, without the configuration of the application',
      connect: (app) => app.connectMicroservice({ strategy: app.get(RedisStreamsServer) }, { inheritAppConfig: false }),
    },
  ];

  it.each(connections)(
    'has retries, keys and dead letters for its tasks, and only for them, connected $how',
    async ({ connect }) => {
      calls.length = 0;
      const bench = await Bench.open();
      const options = { ...productOptions(bench.url, bench.prefix), enhancers: 'all' } as const;
      @Module({ imports: [TaskStreamsModule.forRoot(options)], controllers: [Shop] })
      class ShopModule {}
      const app = await NestFactory.create(ShopModule, { logger: false });
      onTestFinished(() => app.close());
      app.useGlobalFilters(new HttpOnlyFilter());
      connect(app);
      await app.startAllMicroservices();
      await app.listen(0, '127.0.0.1');
      const client = app.get(TaskClient);

      await client.enqueue('pay', { id: 'once' }, { id: 'first', queue: QUEUE });
      expect(await client.result({ queue: QUEUE, id: 'first' })).toBe('once');
      await client.enqueue('pay', { id: 'once' }, { id: 'second', queue: QUEUE });
      expect(await client.result({ queue: QUEUE, id: 'second' })).toBe('once');
      await client.enqueue('pay', { id: 'bad', fails: true }, { id: 'bad', queue: QUEUE });
      await expect.poll(() => bench.deadLetters()).toMatchObject([{ id: 'bad', reason: 'attempts-exhausted' }]);
      expect(calls.filter((call) => call.startsWith('pay'))).toEqual(['pay once', 'pay bad', 'pay bad']);

      calls.length = 0;
      const address = await app.getUrl();
      expect(await (await fetch(`${address}/hello`)).text()).toBe('hi');
      expect(calls).toEqual(['interceptor http', 'hello']);
      expect((await fetch(`${address}/nothing`)).status).toBeGreaterThanOrEqual(400);
    },
  );
});

describe('a task that this worker does not know', () => {
  it('waits for a worker that does, and does not keep this one busy', async () => {
    const bench = await Bench.open();
    // No multiple of the waits between two offers: Redis serves who has waited longest, and that must not be the same one
    // each time.
    const words = { unknownTaskWindow: 60_000, block: 1_300 };
    const old = await bench.app({ words, tasks: { a: () => undefined } });
    await old.client.enqueue('b', {}, { id: 'new', queue: QUEUE });
    await expect.poll(() => old.eventsOf('settled').length).toBeGreaterThan(0);
    let isDone = false;
    const tasks = { a: () => undefined, b: () => void (isDone = true) };
    // Whoever is quickest gets it; three of four know it.
    for (let i = 0; i < 3; i += 1) await bench.app({ words, tasks });

    await expect.poll(() => isDone, { timeout: 20_000 }).toBe(true);
    await bench.drained();
    expect(await old.client.get({ queue: QUEUE, id: 'new' })).toMatchObject({ state: 'completed', failedAttempts: 0 });
    // Put off 1, 1, 2, 4 … seconds apart.
    expect(old.eventsOf('settled').length).toBeLessThanOrEqual(5);
    expect(await bench.deadLetters()).toEqual([]);
  });

  it('is set aside when nobody came in time', async () => {
    const bench = await Bench.open();
    const { client } = await bench.app({ words: { unknownTaskWindow: 1_200 }, tasks: { a: () => undefined } });
    const sentAt = Date.now();
    await client.enqueue('b', { some: 'data' }, { id: 'lost', queue: QUEUE });
    await expect
      .poll(() => bench.deadLetters(), { timeout: 6_000 })
      .toMatchObject([{ id: 'lost', reason: 'unknown-task', body: '{"some":"data"}' }]);
    expect(Date.now() - sentAt).toBeGreaterThanOrEqual(1_100);
  });
});

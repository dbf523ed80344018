import {
  Catch,
  Controller,
  Injectable,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type CallHandler,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { EMPTY, ignoreElements, map, of, tap, type Observable } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import {
  startTaskApp,
  useWholePipeline,
  type TaskApp,
  type TaskAppInput,
} from '../../../../test/support/nest/task-app.js';
import { tracingGuard, tracingInterceptor, tracingPipe } from '../../../../test/support/nest/trace.js';
import type { TaskHandlerOptions } from '../options/handler-options.js';
import type { TaskContext } from '../pipeline/task-context.js';
import { RetryLaterError, UnrecoverableError } from '../task/handler-errors.js';
import { DeadLetter, Retry } from '../handlers/policy.decorators.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

type Handler = (payload: unknown, context: TaskContext) => unknown;

let running: TaskApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

async function start(input: TaskAppInput): Promise<TaskApp> {
  running = await startTaskApp(input);
  return running;
}

/** A class with one handler; as a provider or as a controller it must behave the same. */
function hostOf(handler: Handler, options: TaskHandlerOptions = {}, decorators: readonly MethodDecorator[] = []): Type {
  class Host {
    run(payload: unknown, context: TaskContext): unknown {
      return handler(payload, context);
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Host.prototype, 'run') as PropertyDescriptor;
  for (const decorate of [...decorators].reverse()) decorate(Host.prototype, 'run', descriptor);
  TaskHandler('work', options)(Host.prototype, 'run', descriptor);
  return Host;
}

const hosts = [
  {
    kind: 'provider',
    metadata: (host: Type): TaskAppInput => (Injectable()(host), { providers: [host] }),
  },
  {
    kind: 'provider of an application with global enhancers',
    metadata: (host: Type): TaskAppInput => (Injectable()(host), { providers: [host], configure: useWholePipeline }),
  },
  {
    kind: 'controller',
    metadata: (host: Type): TaskAppInput => (Controller()(host), { controllers: [host] }),
  },
];

class CardDeclinedError extends Error {}

describe.each(hosts)('a handler on a $kind', ({ metadata }) => {
  it('runs its task inside guards, interceptors, our pieces and pipes', async () => {
    const trace: string[] = [];
    const host = hostOf(() => trace.push('handler'), {}, [
      UseGuards(tracingGuard(trace, 'method')),
      UseInterceptors(tracingInterceptor(trace, 'method')),
      UsePipes(tracingPipe(trace, 'method')),
    ]);
    UseGuards(tracingGuard(trace, 'class'))(host);
    UseInterceptors(tracingInterceptor(trace, 'class'))(host);
    const { run } = await start({
      ...metadata(host),
      configure: (app) => {
        app.useGlobalInterceptors(new (tracingInterceptor(trace, 'global'))());
      },
    });
    expect((await run()).kind).toBe('complete');
    expect(trace).toEqual([
      'guard class',
      'guard method',
      'interceptor global',
      'interceptor class',
      'interceptor method',
      'pipe method',
      'handler',
    ]);
  });

  it('completes with what the handler returns, also from an observable', async () => {
    const { run } = await start(metadata(hostOf((payload) => of(1, { got: payload }))));
    expect(await run({ payload: { a: 1 } })).toEqual({
      kind: 'complete',
      result: { kind: 'stored', json: '{"got":{"a":1}}' },
      key: undefined,
      followUps: [],
      replayed: false,
    });
  });

  it('completes with null when the handler answers nothing', async () => {
    const { run } = await start(metadata(hostOf(() => EMPTY)));
    expect(await run()).toMatchObject({ kind: 'complete', result: { kind: 'stored', json: 'null' } });
  });

  it('keeps the result as the interceptors further out have made it', async () => {
    const outer = interceptorOf((_context, next) => next.handle().pipe(map((value) => ({ value }))));
    const { run } = await start(metadata(hostOf(() => 7, {}, [UseInterceptors(outer)])));
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '{"value":7}' } });
  });

  it('retries an error with the class name and message of the original', async () => {
    const { run } = await start({
      ...metadata(hostOf(() => Promise.reject(new CardDeclinedError('no money')))),
      options: { retry: { backoff: [3_000] } },
    });
    const outcome = await run();
    expect(outcome).toMatchObject({
      kind: 'retry',
      delayMs: 3_000,
      error: { message: 'no money' },
      meta: { failedAttempts: 1 },
    });
  });

  it('gives up after the last attempt', async () => {
    const { run } = await start(metadata(hostOf(() => Promise.reject(new Error('boom')), { retry: { attempts: 3 } })));
    expect(await run({ meta: { failedAttempts: 2 } })).toMatchObject({
      kind: 'dead-letter',
      keep: true,
      info: { reason: 'attempts-exhausted', failedAttempts: 3 },
    });
  });

  it('gives up at once at an UnrecoverableError, and puts off at a RetryLaterError', async () => {
    let error: Error = new UnrecoverableError('never');
    const { run } = await start(metadata(hostOf(() => Promise.reject(error))));
    expect(await run()).toMatchObject({ kind: 'dead-letter', info: { reason: 'non-retryable' } });
    error = new RetryLaterError({ delayMs: 50 });
    expect(await run()).toMatchObject({ kind: 'defer', delayMs: 50, meta: { failedAttempts: 0 } });
  });

  it.each([true, false])('gives up at a denial of a guard, with the filter bound: %s', async (isBound) => {
    const guard = tracingGuard([], 'no', false);
    const host = hostOf(() => 1, isBound ? {} : { deadLetter: false }, [UseGuards(guard)]);
    const { run } = await start(metadata(host));
    expect(await run()).toMatchObject({ kind: 'dead-letter', keep: isBound, info: { reason: 'denied' } });
  });

  it('does not take the answer of a filter for success', async () => {
    const host = hostOf(() => Promise.reject(new Error('boom')));
    UseFilters(SwallowingFilter)(host.prototype, 'run', descriptorOf(host));
    const { run } = await start(metadata(host));
    expect(await run()).toMatchObject({ kind: 'retry', error: { message: 'boom' } });
  });

  it('takes the answer of an interceptor for success only where it says so', async () => {
    let says = false;
    const short = interceptorOf((context) => {
      if (says) context.complete('cached');
      return of('cached');
    });
    const { run } = await start(metadata(hostOf(() => 1, {}, [UseInterceptors(short)])));
    expect(await run()).toMatchObject({ kind: 'retry', error: { name: 'TaskNotCompletedError' } });
    says = true;
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '"cached"' } });
  });

  it('counts an interceptor that answers nothing as a failure, unless the handler had returned', async () => {
    let handles = false;
    const silent = interceptorOf((_context, next) => (handles ? next.handle().pipe(ignoreElements()) : EMPTY));
    const { run } = await start(metadata(hostOf(() => 1, {}, [UseInterceptors(silent)])));
    expect((await run()).kind).toBe('retry');
    handles = true;
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: 'null' } });
  });

  it('takes an error that comes after the handler returned for a failure', async () => {
    const commit = interceptorOf((_context, next) =>
      next.handle().pipe(
        tap(() => {
          throw new Error('commit failed');
        }),
      ),
    );
    const { run } = await start(metadata(hostOf(() => 1, {}, [UseInterceptors(commit)])));
    expect(await run()).toMatchObject({ kind: 'retry', error: { message: 'commit failed' } });
  });

  const off: TaskHandlerOptions = { idempotency: false, retry: false, deadLetter: false };
  it.each<[string, TaskHandlerOptions]>([
    ['only idempotency', { ...off, idempotency: {} }],
    ['only retry', { ...off, retry: { attempts: 1 } }],
    ['only dead letters', { ...off, deadLetter: {} }],
    ['none', off],
  ])('settles with %s bound', async (_name, options) => {
    let fails = false;
    const { run } = await start(metadata(hostOf(() => (fails ? Promise.reject(new Error('boom')) : 'ok'), options)));
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '"ok"' } });
    fails = true;
    expect(await run()).toMatchObject({
      kind: 'dead-letter',
      keep: options.deadLetter !== false,
      info: { reason: 'attempts-exhausted', error: { message: 'boom' } },
    });
  });

  it('lets a decorator on the method beat the options, in either order', async () => {
    const below = hostOf(() => Promise.reject(new Error('boom')), { retry: false }, [Retry({ attempts: 2 })]);
    const first = await start(metadata(below));
    expect((await first.run()).kind).toBe('retry');
    await first.app.close();
    const above = hostOf(() => Promise.reject(new Error('boom')), { retry: { attempts: 1 } });
    DeadLetter({ keep: false })(above.prototype, 'run', descriptorOf(above));
    const second = await start(metadata(above));
    expect(await second.run()).toMatchObject({ kind: 'dead-letter', keep: false });
  });

  it('makes a request-scoped handler anew for each task', async () => {
    let made = 0;
    const host = hostOf(() => made);
    Injectable({ scope: Scope.REQUEST })(host);
    const counted = class extends host {
      constructor() {
        super();
        made += 1;
      }
    };
    const input = metadata(counted);
    Injectable({ scope: Scope.REQUEST })(counted);
    const { run } = await start(input);
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '1' } });
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '2' } });
  });
});

@Catch()
class SwallowingFilter implements ExceptionFilter {
  catch(): Observable<string> {
    return of('all is well');
  }
}

function interceptorOf(body: (context: TaskContext, next: CallHandler) => Observable<unknown>): Type<NestInterceptor> {
  @Injectable()
  class SpecInterceptor implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return body(context.switchToRpc().getContext<TaskContext>(), next);
    }
  }
  return SpecInterceptor;
}

function descriptorOf(host: Type): PropertyDescriptor {
  return Object.getOwnPropertyDescriptor(host.prototype, 'run') as PropertyDescriptor;
}

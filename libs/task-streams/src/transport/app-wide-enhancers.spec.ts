import {
  Catch,
  Controller,
  Injectable,
  Logger,
  Scope,
  UnauthorizedException,
  UseGuards,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startTaskApp, type TaskApp, type TaskAppInput } from '../../../../test/support/nest/task-app.js';
import { tracingGuard, tracingPipe } from '../../../../test/support/nest/trace.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

const trace: string[] = [];

/** As the documentation of Nest has it: it knows requests only. */
@Injectable()
class JwtAuthGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    trace.push('guard app');
    const { headers } = context.switchToHttp().getRequest<{ headers?: Record<string, string> }>();
    if (headers?.['authorization'] === undefined) throw new UnauthorizedException();
    return true;
  }
}

@Injectable()
class EnvelopeInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

@Catch()
class EveryErrorFilter implements ExceptionFilter {
  catch(): never {
    throw new TypeError('there is no response');
  }
}

const GLOBAL_PIPE = tracingPipe(trace, 'app');
const APP_WIDE = [
  { provide: APP_GUARD, useClass: JwtAuthGuard },
  { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
  { provide: APP_FILTER, useClass: EveryErrorFilter },
  { provide: APP_PIPE, useClass: GLOBAL_PIPE },
];

let running: TaskApp | undefined;

afterEach(async () => {
  vi.restoreAllMocks();
  trace.length = 0;
  await running?.app.close();
  running = undefined;
});

async function start(input: TaskAppInput): Promise<TaskApp> {
  running = await startTaskApp(input);
  return running;
}

/** A host of one handler with nothing bound to it; a class of its own each time. */
function plainHost(): Type {
  class Host {
    @TaskHandler('work')
    run(): string {
      return 'done';
    }
  }
  return Host;
}

function guardedHost(isAllowed: boolean): Type {
  class Host {
    @TaskHandler('work')
    @UseGuards(tracingGuard(trace, 'method', isAllowed))
    run(): string {
      return 'done';
    }
  }
  UseGuards(tracingGuard(trace, 'class'))(Host);
  return Host;
}

const hosts: readonly (readonly [string, (host: Type) => TaskAppInput])[] = [
  ['a provider', (host) => (Injectable()(host), { providers: [...APP_WIDE, host] })],
  ['a controller', (host) => (Controller()(host), { providers: APP_WIDE, controllers: [host] })],
  [
    'a provider of a request',
    (host) => (Injectable({ scope: Scope.REQUEST })(host), { providers: [...APP_WIDE, host] }),
  ],
  [
    'a controller of a request',
    (host) => (Controller({ scope: Scope.REQUEST })(host), { providers: APP_WIDE, controllers: [host] }),
  ],
];

describe.each(hosts)('what is bound for the whole application, and a handler on %s', (_name, on) => {
  it('has nothing to do with a task by default', async () => {
    const { run } = await start({ ...on(plainHost()), options: { enhancers: 'handler' } });
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '"done"' } });
    expect(trace).toEqual([]);
  });

  it('leaves what is bound to the method and its class in its place', async () => {
    const { run } = await start({ ...on(guardedHost(true)), options: { enhancers: 'handler' } });
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '"done"' } });
    expect(trace).toEqual(['guard class', 'guard method']);
    await running?.app.close();
    const denied = await start({ ...on(guardedHost(false)), options: { enhancers: 'handler' } });
    expect(await denied.run()).toMatchObject({ kind: 'dead-letter', info: { reason: 'denied' } });
  });

  it('runs for tasks where it is told to', async () => {
    const { run } = await start({ ...on(plainHost()), options: { enhancers: 'all' } });
    expect(await run()).toMatchObject({
      kind: 'dead-letter',
      info: { reason: 'denied', error: { name: 'UnauthorizedException' } },
    });
    expect(trace).toEqual(['guard app']);
  });

  it('runs for tasks where it is told to: pipes and interceptors', async () => {
    const { providers = [], ...input } = on(plainHost());
    const { run } = await start({
      ...input,
      providers: providers.filter((one) => (one as { provide?: unknown }).provide !== APP_GUARD),
      options: { enhancers: 'all' },
    });
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '{"data":"done"}' } });
    expect(trace).toEqual(['pipe app']);
  });
});

describe('the boot', () => {
  async function linesOf(input: TaskAppInput): Promise<string[]> {
    const log = vi.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
    await start(input);
    return log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('whole application'));
  }

  it('says in one line what does not run for tasks, by class', async () => {
    const [host, second] = [plainHost(), hostOfSecond()];
    const configure: TaskAppInput['configure'] = (app) => {
      app.useGlobalGuards(new (tracingGuard(trace, 'global'))());
    };
    const lines = await linesOf({
      providers: [...APP_WIDE, host, second],
      options: { enhancers: 'handler' },
      configure,
    });
    expect(lines).toEqual([
      expect.stringMatching(
        /not run for the 2 task handlers: guards JwtAuthGuard, \w+; interceptor EnvelopeInterceptor; pipe \w+; filter EveryErrorFilter\. .*enhancers: 'all'/,
      ),
    ]);
  });

  it('says in one line what does', async () => {
    const lines = await linesOf({
      providers: [APP_WIDE[0], plainHost()],
      options: { enhancers: 'all' },
    } as TaskAppInput);
    expect(lines).toEqual([expect.stringMatching(/run for the tasks of the task handler too: guard JwtAuthGuard\./)]);
  });

  it('says nothing where there is none', async () => {
    expect(await linesOf({ providers: [plainHost()], options: {} })).toEqual([]);
  });
});

function hostOfSecond(): Type {
  @Injectable()
  class Second {
    @TaskHandler('second')
    run(): void {}
  }
  return Second;
}

import {
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { of, tap, type Observable } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import { PIPELINES, startOneHandler, type OneHandlerInput } from '../../../../test/support/nest/one-handler.js';
import { startTaskApp, type TaskApp } from '../../../../test/support/nest/task-app.js';
import type { IdempotencyStore } from '../contracts/idempotency-store.interface.js';
import { DEAD_LETTER_SINK, IDEMPOTENCY_STORE } from '../contracts/tokens.js';
import type { TaskContext } from '../pipeline/task-context.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { NestTaskExecutor } from './nest-task-executor.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

let running: TaskApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

const BOOM = new Error('boom');

/** The ways a handler can end after it has settled its task. */
const ENDS: readonly (readonly [string, () => unknown])[] = [
  ['returns', () => 'returned'],
  ['throws', () => Promise.reject(BOOM)],
];

describe.each(PIPELINES)('in %s:', (_, pipeline) => {
  async function start(
    run: (context: TaskContext) => unknown,
    input: Partial<Omit<OneHandlerInput, 'run'>> = {},
  ): Promise<TaskApp> {
    running = await startOneHandler({ pipeline, run: (_payload, context) => run(context), ...input });
    return running;
  }

  describe.each(ENDS)('a handler that settles its task by hand and %s', (_end, end) => {
    it('hands it back with release: no attempt is counted', async () => {
      const { run } = await start((context) => {
        context.enqueue('child', {});
        context.release({ delayMs: 400 });
        return end();
      });
      expect(await run({ meta: { failedAttempts: 2 } })).toMatchObject({
        kind: 'defer',
        delayMs: 400,
        meta: { failedAttempts: 2 },
      });
    });

    it('counts an attempt with retry, with the wait and the error it names', async () => {
      const { run } = await start((context) => {
        context.retry({ delayMs: 700, error: new TypeError('half done') });
        return end();
      });
      const failed = { failedAttempts: 1, history: [{ error: { name: 'TypeError', message: 'half done' } }] };
      expect(await run()).toMatchObject({ kind: 'retry', delayMs: 700, meta: failed });
      expect(await run({ meta: { failedAttempts: 4 } })).toMatchObject({
        kind: 'dead-letter',
        info: { reason: 'attempts-exhausted', failedAttempts: 5 },
      });
    });

    it('waits for the backoff of the task where retry names no wait, whatever the predicates say', async () => {
      const retry = {
        backoff: [900],
        retryIf: () => false,
        isFailure: () => false,
        immediateRetries: 3,
      };
      let runs = 0;
      const { run } = await start(
        (context) => {
          runs += 1;
          context.retry();
          return end();
        },
        { handler: { retry } },
      );
      expect(await run()).toMatchObject({ kind: 'retry', delayMs: 900, error: { name: 'RetryRequestedError' } });
      expect(runs).toBe(1);
    });

    it('puts it with the dead letters, once, with its reason and details', async () => {
      const letters: DeadLetter[] = [];
      const sink = { replacesStream: false, take: async (letter: DeadLetter) => void letters.push(letter) };
      const { run } = await start(
        (context) => {
          context.deadLetter('the account is closed', { account: 7 });
          return end();
        },
        { extras: { providers: [{ provide: DEAD_LETTER_SINK, useValue: sink }] } },
      );
      expect(await run()).toMatchObject({
        kind: 'dead-letter',
        keep: true,
        info: { reason: 'requested', error: { message: 'the account is closed', details: { account: 7 } } },
      });
      expect(letters).toHaveLength(1);
    });

    it('has its first call counted, and no other', async () => {
      const { run } = await start((context) => {
        context.release({ delayMs: 5 });
        context.complete('done');
        context.retry();
        context.deadLetter('no');
        return end();
      });
      expect(await run()).toMatchObject({ kind: 'defer', delayMs: 5 });
    });

    it('frees the key of a store of its own, and does not commit it', async () => {
      const calls: string[] = [];
      const store: IdempotencyStore = {
        settlesWithTask: false,
        claim: async () => ({ kind: 'won' }),
        commit: async () => void calls.push('commit'),
        release: async () => void calls.push('release'),
      };
      const { run } = await start(
        (context) => {
          context.release();
          return end();
        },
        { extras: { providers: [{ provide: IDEMPOTENCY_STORE, useValue: store }] } },
      );
      expect(await run()).toMatchObject({ kind: 'defer', delayMs: 1_000 });
      expect(calls).toEqual(['release']);
    });
  });

  it('keeps the result of complete, whatever the handler returns, and no later call changes it', async () => {
    const { run } = await start((context) => {
      context.complete({ balance: 5 });
      context.complete({ balance: 6 });
      context.release();
      return 'returned';
    });
    expect(await run()).toMatchObject({ kind: 'complete', result: { json: '{"balance":5}' } });
  });

  it('takes complete back when the handler throws', async () => {
    const { run } = await start((context) => {
      context.complete('done');
      throw BOOM;
    });
    expect(await run()).toMatchObject({ kind: 'retry', error: { message: 'boom' } });
  });

  it('limits how long a task is released', async () => {
    const { run } = await start((context) => context.release(), { options: { timing: { deferralLimitMs: 10 } } });
    expect(await run({ meta: { deferredSince: 1 } })).toMatchObject({ info: { reason: 'in-progress-timeout' } });
  });

  it.each([-1, Number.NaN, Infinity])('refuses a wait of %s', async (delayMs) => {
    const { run } = await start((context) => context.release({ delayMs }));
    expect(await run()).toMatchObject({ kind: 'retry', error: { name: 'RangeError' } });
  });

  it('makes a call after the end of the attempt an error that says so', async () => {
    const contexts: TaskContext[] = [];
    const { app, run } = await start((context) => contexts.push(context));
    await run();
    const hanging = app.get(NestTaskExecutor).execute(deliveryOf());
    hanging.timeOut();
    await hanging.outcome;
    expect(contexts).toHaveLength(2);
    for (const context of contexts) {
      for (const call of [
        () => context.complete(),
        () => context.release(),
        () => context.retry(),
        () => context.deadLetter('no'),
      ]) {
        expect(call).toThrow(/was called after its attempt had ended/);
      }
    }
  });
});

describe('an interceptor', () => {
  it('can settle the task in place of the handler, and after it', async () => {
    let handles = false;
    let runs = 0;
    @Injectable()
    class Busy implements NestInterceptor {
      intercept(host: ExecutionContext, next: CallHandler): Observable<unknown> {
        const context = host.switchToRpc().getContext<TaskContext>();
        if (handles) return next.handle().pipe(tap(() => context.deadLetter('seen too late')));
        context.release({ delayMs: 9 });
        return of(undefined);
      }
    }
    @Injectable()
    class Handlers {
      @TaskHandler('work')
      @UseInterceptors(Busy)
      run(): void {
        runs += 1;
      }
    }
    running = await startTaskApp({ providers: [Handlers] });
    expect(await running.run()).toMatchObject({ kind: 'defer', delayMs: 9 });
    handles = true;
    expect(await running.run()).toMatchObject({ kind: 'dead-letter', info: { reason: 'requested' } });
    expect(runs).toBe(1);
  });
});

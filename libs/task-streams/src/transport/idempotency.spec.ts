import { Injectable, UseInterceptors, type Type } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import { startTaskApp, useWholePipeline, type TaskApp } from '../../../../test/support/nest/task-app.js';
import type { KeyClaim } from '../contracts/work-store.interface.js';
import type { IdempotencyClaim, IdempotencyStore } from '../contracts/idempotency-store.interface.js';
import { IDEMPOTENCY_STORE } from '../contracts/tokens.js';
import type { TaskHandlerOptions } from '../options/handler-options.js';
import { IdempotencyInterceptor } from '../pipeline/idempotency.interceptor.js';
import { RetryInterceptor } from '../pipeline/retry.interceptor.js';
import { hashPayload } from '../task/payload-hash.js';
import { NestTaskExecutor } from './nest-task-executor.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

class ScriptedStore implements IdempotencyStore {
  answer: KeyClaim = { kind: 'won' };
  commitError: Error | undefined;
  readonly calls: string[] = [];
  readonly claims: IdempotencyClaim[] = [];

  constructor(readonly settlesWithTask: boolean) {}

  async claim(claim: IdempotencyClaim): Promise<KeyClaim> {
    this.calls.push('claim');
    this.claims.push(claim);
    return claim.preclaim ?? this.answer;
  }

  async commit(_claim: IdempotencyClaim, resultJson: string | undefined): Promise<void> {
    this.calls.push(`commit ${resultJson}`);
    if (this.commitError) throw this.commitError;
  }

  async release(): Promise<void> {
    this.calls.push('release');
    throw new Error('the store is gone');
  }
}

let running: TaskApp | undefined;
let runs = 0;
let handler: () => unknown = () => 'done';

afterEach(async () => {
  await running?.app.close();
  running = undefined;
  runs = 0;
  handler = () => 'done';
});

async function start(store: IdempotencyStore, options: TaskHandlerOptions<{ id: string }> = {}): Promise<TaskApp> {
  @Injectable()
  class Handlers {
    @TaskHandler('work', options)
    run(): unknown {
      runs += 1;
      return handler();
    }
  }
  return startWith(store, Handlers);
}

async function startWith(store: IdempotencyStore, handlers: Type): Promise<TaskApp> {
  running = await startTaskApp({
    providers: [handlers],
    extras: { providers: [{ provide: IDEMPOTENCY_STORE, useValue: store }] },
    ...pipeline,
  });
  return running;
}

/** What the next application is made with: by default a handler without other enhancers takes the short way. */
let pipeline: { readonly configure?: typeof useWholePipeline } = {};

describe.each([
  ['the short pipeline', {}],
  ['the whole pipeline', { configure: useWholePipeline }],
])('in %s:', (_, used) => {
  beforeEach(() => {
    pipeline = used;
  });

  describe('idempotency with a store that settles with the task', () => {
    it('asks no store where the key is the task id', async () => {
      const store = new ScriptedStore(true);
      const { run } = await start(store);
      expect(await run()).toMatchObject({ kind: 'complete', key: undefined });
      expect(store.calls).toEqual([]);
    });

    it('uses the claim that came with the entry, and leaves the done mark to the outcome', async () => {
      const store = new ScriptedStore(true);
      const { run } = await start(store);
      const outcome = await run({ key: 'order 1', keyClaim: { kind: 'won' }, payload: { a: 1 } });
      expect(outcome).toMatchObject({ kind: 'complete', key: { scope: 'work/order 1', ttlMs: 86_400_000 } });
      expect(store.claims).toMatchObject([
        { key: 'order 1', preclaim: { kind: 'won' }, payloadHash: hashPayload('{"a":1}') },
      ]);
    });

    it('gives an earlier result back without running', async () => {
      const { run } = await start(new ScriptedStore(true));
      const outcome = await run({ key: 'k', keyClaim: { kind: 'replay', resultJson: '{"a":1}' } });
      expect(outcome).toMatchObject({
        kind: 'complete',
        replayed: true,
        key: undefined,
        result: { kind: 'stored', json: '{"a":1}' },
      });
      expect(runs).toBe(0);
    });

    it('completes a replay whose result was not kept', async () => {
      const { run } = await start(new ScriptedStore(true));
      expect(await run({ key: 'k', keyClaim: { kind: 'replay', resultJson: undefined } })).toMatchObject({
        kind: 'complete',
        replayed: true,
        result: { kind: 'omitted' },
      });
    });

    it('puts the task off while the key is busy', async () => {
      const { run } = await start(new ScriptedStore(true));
      expect(await run({ key: 'k', keyClaim: { kind: 'busy', retryInMs: 250 } })).toMatchObject({
        kind: 'defer',
        delayMs: 250,
        meta: { failedAttempts: 0 },
      });
      expect(runs).toBe(0);
    });

    it('completes a duplicate without the result where the handler says skip', async () => {
      const { run } = await start(new ScriptedStore(true), { idempotency: { onDuplicate: 'skip' } });
      expect(await run({ key: 'k', keyClaim: { kind: 'replay', resultJson: '{"a":1}' } })).toMatchObject({
        kind: 'complete',
        replayed: true,
        key: undefined,
        result: { kind: 'omitted', reason: 'duplicate' },
      });
      expect(runs).toBe(0);
    });

    it('sets a duplicate aside where the handler says throw', async () => {
      const { run } = await start(new ScriptedStore(true), { idempotency: { onDuplicate: 'throw' } });
      expect(await run({ key: 'k', keyClaim: { kind: 'replay', resultJson: '1' } })).toMatchObject({
        kind: 'dead-letter',
        info: { reason: 'duplicate', error: { name: 'DuplicateTaskError' } },
      });
      expect(runs).toBe(0);
    });

    it('completes a task whose key is busy without running it where the handler says drop', async () => {
      const { app } = await start(new ScriptedStore(true), { idempotency: { onInProgress: 'drop' } });
      const dropped = app
        .get(NestTaskExecutor)
        .execute(deliveryOf({ key: 'k', keyClaim: { kind: 'busy', retryInMs: 250 } }));
      expect(await dropped.outcome).toMatchObject({
        kind: 'complete',
        replayed: true,
        result: { kind: 'omitted', reason: 'duplicate-in-progress' },
      });
      // The key is the other one's: it must not be freed.
      expect(dropped.keyScope).toBeUndefined();
      expect(runs).toBe(0);
    });

    it('sets a conflict aside', async () => {
      const { run } = await start(new ScriptedStore(true));
      expect(await run({ key: 'k', keyClaim: { kind: 'conflict' } })).toMatchObject({
        kind: 'dead-letter',
        info: { reason: 'idempotency-conflict' },
      });
    });

    it('claims the key that the handler computes from the payload', async () => {
      const store = new ScriptedStore(true);
      const { app } = await start(store, { idempotency: { key: ({ id }) => id, ttlMs: 60_000 } });
      const running = app.get(NestTaskExecutor).execute(deliveryOf({ payload: { id: 'debit 1' } }));
      expect(await running.outcome).toMatchObject({ key: { scope: 'work/debit 1', ttlMs: 60_000 } });
      expect(running.keyScope).toBe('work/debit 1');
      expect(store.claims).toMatchObject([{ key: 'debit 1', preclaim: undefined }]);
    });

    it.each([[{}], [{ id: '' }], [{ id: 7 }], [null]])('sets a payload without a key aside: %j', async (payload) => {
      const { run } = await start(new ScriptedStore(true), { idempotency: { key: ({ id }) => id } });
      expect(await run({ payload })).toMatchObject({ kind: 'dead-letter', info: { reason: 'non-retryable' } });
      expect(runs).toBe(0);
    });

    it('frees a key that it never looked at', async () => {
      const { app } = await start(new ScriptedStore(true), { idempotency: false });
      const running = app.get(NestTaskExecutor).execute(deliveryOf({ key: 'k', keyClaim: { kind: 'won' } }));
      expect(await running.outcome).toMatchObject({ kind: 'complete', key: undefined });
      expect(running.keyScope).toBe('work/k');
    });
  });

  describe('idempotency with a store of its own', () => {
    it('claims the task id, and commits the result before the task counts as done', async () => {
      const store = new ScriptedStore(false);
      const { run } = await start(store);
      expect(await run({ taskId: 'a' })).toMatchObject({ kind: 'complete', key: undefined });
      expect(store.claims).toMatchObject([{ key: 'a' }]);
      expect(store.calls).toEqual(['claim', 'commit "done"']);
    });

    it.each(['skip', 'throw'] as const)('takes no task for a duplicate of itself, with %s', async (onDuplicate) => {
      const store = new ScriptedStore(false);
      store.answer = { kind: 'replay', resultJson: '"done"' };
      const { run } = await start(store, { idempotency: { onDuplicate } });
      // The worker died, or a piece further out failed, between the commit of the store and the settlement.
      const own = { kind: 'complete', result: { json: '"done"' } };
      expect(await run({ deliveryCount: 2 })).toMatchObject(own);
      expect(await run({ meta: { failedAttempts: 1 } })).toMatchObject(own);
      expect((await run()).kind).toBe(onDuplicate === 'throw' ? 'dead-letter' : 'complete');
      expect(await run()).not.toMatchObject(own);
    });

    it('counts a failed commit as a failure, although the handler has returned', async () => {
      const store = new ScriptedStore(false);
      store.commitError = new Error('serialization failure');
      const { run } = await start(store);
      expect(await run()).toMatchObject({ kind: 'retry', error: { message: 'serialization failure' } });
    });

    it('releases the key of a failed attempt, and shows the error of the handler when that fails too', async () => {
      const store = new ScriptedStore(false);
      handler = () => Promise.reject(new Error('boom'));
      const { run } = await start(store);
      expect(await run()).toMatchObject({ kind: 'retry', error: { message: 'boom' } });
      expect(store.calls).toEqual(['claim', 'release']);
    });

    it('keeps the claim over the runs of one attempt', async () => {
      const store = new ScriptedStore(false);
      handler = () => (runs < 3 ? Promise.reject(new Error('boom')) : 'done');
      const { run } = await start(store, { retry: { immediateRetries: 2 } });
      expect((await run()).kind).toBe('complete');
      expect(store.calls).toEqual(['claim', 'commit "done"']);
    });

    it('works once where the pieces are bound twice', async () => {
      const store = new ScriptedStore(false);
      @Injectable()
      class Handlers {
        @TaskHandler('work', { retry: { attempts: 1, immediateRetries: 1 } })
        @UseInterceptors(IdempotencyInterceptor, RetryInterceptor)
        run(): unknown {
          runs += 1;
          throw new Error('boom');
        }
      }
      const { run } = await startWith(store, Handlers);
      expect(await run()).toMatchObject({ kind: 'dead-letter', info: { failedAttempts: 1 } });
      expect(runs).toBe(2);
      expect(store.calls.filter((call) => call === 'claim')).toHaveLength(1);
    });
  });
});

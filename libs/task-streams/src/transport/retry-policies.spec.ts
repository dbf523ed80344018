import { afterEach, describe, expect, it } from 'vitest';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import { PIPELINES, startOneHandler } from '../../../../test/support/nest/one-handler.js';
import type { TaskApp } from '../../../../test/support/nest/task-app.js';
import type { TaskHandlerOptions } from '../options/handler-options.js';
import type { TaskContext } from '../pipeline/task-context.js';
import { RetryLaterError, UnrecoverableError } from '../task/handler-errors.js';
import { LeaseLostError, WorkerStoppingError } from '../task/worker-errors.js';
import { NestTaskExecutor } from './nest-task-executor.js';

class DeadlockError extends Error {}
class CardDeclinedError extends Error {}

let running: TaskApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

describe.each(PIPELINES)('in %s:', (_, pipeline) => {
  let runs = 0;

  async function start(
    handler: TaskHandlerOptions,
    run: (context: TaskContext, runNumber: number) => unknown,
  ): Promise<TaskApp> {
    runs = 0;
    running = await startOneHandler({
      pipeline,
      handler,
      run: (_payload, context) => {
        runs += 1;
        return run(context, runs);
      },
    });
    return running;
  }

  describe('immediate retries', () => {
    // The same object each time, as drivers do it.
    const error = new DeadlockError('deadlock detected');
    const deadlock = (): never => {
      throw error;
    };

    it('run a failed attempt again at once, and complete with what the last run returns', async () => {
      const app = await start({ retry: { immediateRetries: 2 } }, (context, number) => {
        context.enqueue('child', { number });
        return number === 3 ? context.attempt : deadlock();
      });
      const outcome = await app.run();
      expect(outcome).toMatchObject({ kind: 'complete', result: { json: '1' } });
      // The children of the runs that failed are not enqueued.
      expect(outcome.kind === 'complete' && outcome.followUps.map(({ item }) => item.body)).toEqual(['{"number":3}']);
      expect(runs).toBe(3);
    });

    it('are one attempt together, and each is in the history', async () => {
      const app = await start({ retry: { immediateRetries: 2, backoff: [700] } }, deadlock);
      const outcome = await app.run({ meta: { failedAttempts: 1 } });
      expect(runs).toBe(3);
      expect(outcome).toMatchObject({ kind: 'retry', delayMs: 700, meta: { failedAttempts: 2 } });
      expect(
        outcome.kind === 'retry' && outcome.meta.history.map(({ attempt, error }) => [attempt, error.name]),
      ).toEqual([
        [2, 'DeadlockError'],
        [2, 'DeadlockError'],
        [2, 'DeadlockError'],
      ]);
    });

    it('come with the last attempt too', async () => {
      const app = await start({ retry: { attempts: 1, immediateRetries: 1 } }, deadlock);
      expect(await app.run()).toMatchObject({ kind: 'dead-letter', info: { reason: 'attempts-exhausted' } });
      expect(runs).toBe(2);
    });

    it.each([new UnrecoverableError('never'), new RetryLaterError({ delayMs: 5 }), new CardDeclinedError('no')])(
      'do not come after %s',
      async (thrownError) => {
        const options: TaskHandlerOptions = {
          retry: { immediateRetries: 2, isFailure: (thrown) => !(thrown instanceof CardDeclinedError) },
        };
        await (await start(options, () => Promise.reject(thrownError))).run();
        expect(runs).toBe(1);
      },
    );

    it.each([new LeaseLostError('a'), new WorkerStoppingError(0)])('end when the attempt ends: %s', async (reason) => {
      const app = await start({ retry: { immediateRetries: 50 } }, (_context, number) => {
        if (number === 2) task.abort(reason);
        return deadlock();
      });
      const task = app.app.get(NestTaskExecutor).execute(deliveryOf());
      expect((await task.outcome).kind).toBe(reason instanceof LeaseLostError ? 'lost' : 'release');
      expect(runs).toBe(2);
    });

    it('end when the attempt is over by its timeout', async () => {
      const app = await start({ retry: { immediateRetries: 50 } }, (_context, number) => {
        if (number === 2) task.timeOut();
        return deadlock();
      });
      const task = app.app.get(NestTaskExecutor).execute(deliveryOf());
      await task.outcome;
      expect(runs).toBe(2);
    });
  });

  describe('an error that is no failure', () => {
    const isFailure = (error: unknown): boolean => !(error instanceof CardDeclinedError);
    const decline = (): never => {
      throw new CardDeclinedError('no money');
    };

    it('is run again after the backoff without counting an attempt, and says that it was expected', async () => {
      const app = await start({ retry: { isFailure, backoff: [300] } }, decline);
      expect(await app.run({ meta: { failedAttempts: 4 } })).toMatchObject({
        kind: 'defer',
        delayMs: 300,
        expected: true,
        meta: { failedAttempts: 4 },
        why: 'no money',
      });
    });

    it('is given up where it is not worth another attempt, and says so too', async () => {
      const app = await start({ retry: { isFailure, nonRetryable: [CardDeclinedError] } }, decline);
      expect(await app.run()).toMatchObject({
        kind: 'dead-letter',
        expected: true,
        info: { reason: 'non-retryable', error: { message: 'no money' } },
      });
    });

    it('is not run again by a handler that is to run once', async () => {
      const app = await start({ retry: { isFailure, attempts: 1 } }, decline);
      expect(await app.run()).toMatchObject({ kind: 'dead-letter', expected: true });
    });

    it('leaves every other error what it is', async () => {
      const app = await start({ retry: { isFailure } }, () => Promise.reject(new Error('boom')));
      const outcome = await app.run();
      expect(outcome.kind).toBe('retry');
      expect(outcome).not.toHaveProperty('expected');
    });

    it('is a failure where the predicate throws', async () => {
      const app = await start({ retry: { isFailure: decline } }, () => Promise.reject(new Error('boom')));
      expect(await app.run()).toMatchObject({ kind: 'retry', error: { message: 'boom' } });
    });
  });
});

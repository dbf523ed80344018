import { afterEach, describe, expect, it } from 'vitest';
import { deliveryOf, type DeliveryInput } from '../../../../test/support/nest/deliveries.js';
import { PIPELINES, startOneHandler, type OneHandlerInput } from '../../../../test/support/nest/one-handler.js';
import type { TaskApp } from '../../../../test/support/nest/task-app.js';
import { DEAD_LETTER_SINK } from '../contracts/tokens.js';
import type { DeadLetter } from '../task/dead-letter.js';
import type { MessageExpiry } from '../task/envelope.js';
import { RetryLaterError } from '../task/handler-errors.js';
import { NestTaskExecutor } from './nest-task-executor.js';

let running: TaskApp | undefined;

afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

/** Enqueued at 1000 and handed out a second later. */
function late(expiry: MessageExpiry, more: DeliveryInput = {}): DeliveryInput {
  return { head: { options: { expiry } }, enqueuedAt: 1_000, claimedAt: 2_000, ...more };
}

describe.each(PIPELINES)('in %s:', (_, pipeline) => {
  const seen: (number | undefined)[] = [];

  async function start(input: Partial<OneHandlerInput> = {}): Promise<TaskApp> {
    seen.length = 0;
    running = await startOneHandler({
      pipeline,
      run: (_payload, context) => seen.push(context.deadline),
      ...input,
    });
    return running;
  }

  const failing = (delayMs: number): Partial<OneHandlerInput> => ({
    run: () => Promise.reject(new Error('boom')),
    handler: { retry: { backoff: [delayMs] } },
  });

  describe('a task whose time is over', () => {
    it('is a dead letter that was not run, its payload unparsed', async () => {
      const letters: DeadLetter[] = [];
      const sink = { replacesStream: false, take: async (letter: DeadLetter) => void letters.push(letter) };
      const { run } = await start({ extras: { providers: [{ provide: DEAD_LETTER_SINK, useValue: sink }] } });
      expect(await run(late({ ttlMs: 900 }, { body: '{"cut off' }))).toMatchObject({
        kind: 'dead-letter',
        keep: true,
        info: { reason: 'expired', error: { message: expect.stringContaining('over 100 ms before') as string } },
      });
      expect(seen).toEqual([]);
      expect(letters).toMatchObject([{ name: 'work', reason: 'expired', body: '{"cut off' }]);
    });

    it.each<Partial<OneHandlerInput>>([
      { handler: { onExpired: 'drop' } },
      { options: { queues: { default: { onExpired: 'drop' } } } },
    ])('is dropped where the handler or its queue says so: %j', async (input) => {
      const { run } = await start(input);
      expect(await run(late({ deadline: 1_999 }))).toMatchObject({ kind: 'expired', failedAttempts: 0 });
      expect(seen).toEqual([]);
    });

    it('is a dead letter where the handler says so against its queue', async () => {
      const options = { queues: { default: { onExpired: 'drop' } } } as const;
      const { run } = await start({ options, handler: { onExpired: 'dead-letter' } });
      expect((await run(late({ deadline: 1_999 }))).kind).toBe('dead-letter');
    });

    it('is told before it is known that nobody handles it', async () => {
      const { run } = await start({ options: { queues: { default: { onExpired: 'drop' } } } });
      expect((await run(late({ ttlMs: 1 }, { name: 'nobody' }))).kind).toBe('expired');
    });

    it('frees the key that was locked when it was handed out', async () => {
      const { app } = await start({ handler: { onExpired: 'drop' } });
      const delivery = deliveryOf(late({ ttlMs: 1 }, { key: 'k', keyClaim: { kind: 'won' } }));
      expect(app.get(NestTaskExecutor).execute(delivery).keyScope).toBe('work/k');
    });

    it('keeps no letter where the handler keeps none', async () => {
      const { run } = await start({ handler: { deadLetter: false } });
      expect(await run(late({ ttlMs: 1 }))).toMatchObject({ kind: 'dead-letter', keep: false });
    });
  });

  describe('a task in time', () => {
    it('runs, and the context shows its deadline', async () => {
      const { run } = await start();
      expect((await run(late({ ttlMs: 1_001 }))).kind).toBe('complete');
      expect((await run(late({ deadlineMs: 1_001 }))).kind).toBe('complete');
      expect((await run(late({ ttlMs: 1_001, deadline: 9_000 }))).kind).toBe('complete');
      expect((await run({})).kind).toBe('complete');
      expect(seen).toEqual([undefined, 2_001, 9_000, undefined]);
    });

    it('is one that failed before, whose time to live is over and whose deadline is not', async () => {
      const { run } = await start();
      expect((await run(late({ ttlMs: 1 }, { meta: { failedAttempts: 1 } }))).kind).toBe('complete');
      expect((await run(late({ deadlineMs: 1 }, { meta: { failedAttempts: 1 } }))).kind).toBe('dead-letter');
    });

    it('is one that somebody redrove', async () => {
      const { run } = await start();
      expect((await run(late({ ttlMs: 1, deadline: 1_500 }, { meta: { redriveCount: 1 } }))).kind).toBe('complete');
      expect(seen).toEqual([undefined]);
    });

    it('is one with a forged expiry', async () => {
      const { run } = await start();
      for (const expiry of [{ ttlMs: '1' }, { ttlMs: -1 }, { deadline: null }, { deadlineMs: {} }, []]) {
        expect((await run(late(expiry as MessageExpiry))).kind).toBe('complete');
      }
    });
  });

  describe('a failure', () => {
    it('has expired at once where the retry would come after the deadline', async () => {
      const { run } = await start(failing(60_000));
      expect(await run(late({ deadlineMs: 30_000 }))).toMatchObject({
        kind: 'dead-letter',
        info: { reason: 'expired', failedAttempts: 1, error: { message: 'boom' }, history: [{ attempt: 1 }] },
      });
      expect((await run(late({ deadlineMs: 90_000 }))).kind).toBe('retry');
      // The time to live is for the first attempt, which has begun.
      expect((await run(late({ ttlMs: 30_000 }))).kind).toBe('retry');
    });

    it('is dropped then where the handler says so', async () => {
      const { run } = await start({ ...failing(60_000), handler: { retry: { backoff: [60_000] }, onExpired: 'drop' } });
      expect(await run(late({ deadlineMs: 30_000 }))).toMatchObject({
        kind: 'expired',
        failedAttempts: 1,
        error: { message: 'boom' },
      });
    });

    it('has expired at once where it would be put off past its time', async () => {
      const { run } = await start({ run: () => Promise.reject(new RetryLaterError({ delayMs: 60_000 })) });
      expect(await run(late({ ttlMs: 30_000 }))).toMatchObject({
        kind: 'dead-letter',
        info: { reason: 'expired', failedAttempts: 0 },
      });
      expect((await run(late({ ttlMs: 90_000 }))).kind).toBe('defer');
    });
  });
});

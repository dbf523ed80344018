import { randomBytes } from 'node:crypto';
import { Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsInt } from 'class-validator';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  AuditTrail,
  DEAD_LETTER_SINK,
  type DeadLetter,
  type DeadLetterContext,
  DeadLetterHandler,
  type DeadLetterInstruction,
  DeadLetterService,
  defineTask,
  RedisStreamsServer,
  type RetentionOptions,
  TaskClient,
  TaskHandler,
  TaskStreamsModule,
  type TaskStreamsModuleExtras,
  UnrecoverableError,
} from '../../../libs/task-streams/src/index.js';

class Pay {
  @IsInt()
  cents!: number;
}

const pay = defineTask<Pay>('pay', { queue: 'q', payload: Pay });

/** Fails until its payload has whole cents. */
@Injectable()
class Payments {
  static readonly paid: string[] = [];

  @TaskHandler(pay, { validate: false })
  pay({ cents }: { readonly cents: unknown }): void {
    if (!Number.isInteger(cents)) throw new UnrecoverableError('no such amount');
    Payments.paid.push(String(cents));
  }

  @TaskHandler('other', { queue: 'q', deadLetter: false })
  other(): void {
    throw new UnrecoverableError('never');
  }
}

interface Bench {
  readonly client: TaskClient;
  readonly letters: DeadLetterService;
  readonly audit: AuditTrail;
  /** What retention dropped, as the workers told it. */
  readonly dropped: readonly number[];
  close(): Promise<void>;
}

async function startApp(
  prefix: string,
  providers: readonly Type[],
  extras: TaskStreamsModuleExtras & { readonly retention?: RetentionOptions } = {},
): Promise<Bench> {
  @Module({})
  class Root {}
  const options = {
    connection: { url: inject('redisUrl') },
    prefix,
    autoStart: true,
    timing: { sweepMs: 50 },
    leaseMs: 500,
    shutdownTimeoutMs: 200,
    ...(extras.retention ? { retention: extras.retention } : {}),
  };
  const imports = [TaskStreamsModule.forRoot(options, extras)];
  const root = { module: Root, imports, providers: [Payments, ...providers] };
  const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  const dropped: number[] = [];
  app.get(RedisStreamsServer).on('dead-letters-dropped', ({ count }) => dropped.push(count));
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= app.close());
  onTestFinished(close);
  return {
    client: app.get(TaskClient),
    letters: app.get(DeadLetterService),
    audit: app.get(AuditTrail),
    dropped,
    close,
  };
}

const newPrefix = () => `test-${randomBytes(6).toString('hex')}`;

/** A provider with one handler that does what the test says. */
function reader(
  look: (letter: DeadLetter, context: DeadLetterContext) => DeadLetterInstruction | void | Promise<void>,
  options: Parameters<typeof DeadLetterHandler>[1] = {},
): Type {
  @Injectable()
  class Triage {
    @DeadLetterHandler(pay, { from: 'all', ...options })
    look(letter: DeadLetter, context: DeadLetterContext): DeadLetterInstruction | void | Promise<void> {
      return look(letter, context);
    }
  }
  return Triage;
}

describe('a handler of dead letters', () => {
  it('sees each letter of its task once, and leaves it where it is', async () => {
    const seen: string[] = [];
    const { client, letters } = await startApp(newPrefix(), [reader((letter) => void seen.push(letter.taskId))]);
    for (const id of ['a', 'b']) await client.enqueue('pay', { cents: 0.5 }, { id });

    await expect.poll(() => seen.toSorted()).toEqual(['a', 'b']);
    expect(await letters.count('q')).toBe(2);
  });

  it('mends and redrives, or discards, by what it returns, and the audit names it', async () => {
    const look = ({ body }: DeadLetter): DeadLetterInstruction =>
      body?.includes('0.5') ? { kind: 'redrive', patch: { cents: 77 } } : { kind: 'discard', reason: 'noise' };
    const { client, letters, audit } = await startApp(newPrefix(), [reader(look)]);
    await client.enqueue('pay', { cents: 0.5 });
    await client.enqueue('pay', { cents: 0.7 });

    await expect.poll(() => letters.totals('q')).toMatchObject({ added: 2, redriven: 1, discarded: 1 });
    await expect.poll(() => Payments.paid).toContain('77');
    expect(await letters.count('q')).toBe(0);
    expect((await audit.list('q')).records).toMatchObject([
      { action: 'discard', actor: 'Triage.look', reason: 'noise' },
      { action: 'redrive', actor: 'Triage.look' },
    ]);
  });

  it('sees a letter again that it did not finish, in another process too, up to its attempts', async () => {
    const prefix = newPrefix();
    const counts: number[] = [];
    const stuck = reader(
      (_, { deliveryCount }) => {
        counts.push(deliveryCount);
        return new Promise<void>(() => undefined);
      },
      { timeoutMs: 30_000 },
    );
    const first = await startApp(prefix, [stuck]);
    await first.client.enqueue('pay', { cents: 0.5 });
    await expect.poll(() => counts).toEqual([1]);

    const failing = reader(
      (_, { deliveryCount }) => {
        counts.push(deliveryCount);
        throw new Error('no tickets today');
      },
      { timeoutMs: 50, attempts: 3 },
    );
    const second = await startApp(prefix, [failing]);
    await expect.poll(() => counts).toEqual([1, 2, 3]);
    await expect.poll(() => second.letters.count('q')).toBe(1);
    await second.close();
  });

  it('is told to stop when it takes too long', async () => {
    const reasons: unknown[] = [];
    const look = (_: DeadLetter, { signal }: DeadLetterContext) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          reasons.push((signal.reason as Error).message);
          resolve();
        });
      });
    const { client } = await startApp(newPrefix(), [reader(look, { timeoutMs: 50, attempts: 1 })]);
    await client.enqueue('pay', { cents: 0.5 });

    await expect.poll(() => reasons).toEqual(['the handler took longer than 50 ms']);
  });

  it('is checked when it is declared', () => {
    const declare = (options: object) => () => reader(() => undefined, options);
    expect(declare({ attempts: 0 })).toThrow('attempts');
    expect(declare({ group: 'a b' })).toThrow('group');
    expect(declare({ retries: 1 })).toThrow('no such option');
  });
});

describe('a mended payload', () => {
  it('is checked against the contract of its handler before it is sent', async () => {
    const { client, letters } = await startApp(newPrefix(), []);
    await client.enqueue('pay', { cents: 0.5 });
    await expect.poll(() => letters.count('q')).toBe(1);
    const [letter] = (await letters.list('q')).letters;

    await expect(letters.redrive('q', letter?.entryId ?? '', { patch: { cents: 'many' } })).rejects.toMatchObject({
      code: 'TASK_STREAMS_PAYLOAD_INVALID',
    });
    expect(await letters.redriveMany('q', {}, { patch: { cents: 'many' } })).toMatchObject({
      refusals: { 'invalid-payload': 1 },
    });
    expect(await letters.count('q')).toBe(1);
    await letters.redrive('q', letter?.entryId ?? '', { patch: { cents: 78 } });
    await expect.poll(() => Payments.paid).toContain('78');
  });
});

describe('the sink of dead letters', () => {
  const sink = (replacesStream: boolean, take: (letter: DeadLetter) => Promise<void>) => ({
    providers: [{ provide: DEAD_LETTER_SINK, useValue: { replacesStream, take } }],
  });

  it('that fails loses nothing: the stream keeps the letter', async () => {
    const broken = sink(true, () => Promise.reject(new Error('the database is down')));
    const { client, letters } = await startApp(newPrefix(), [], broken);
    await client.enqueue('pay', { cents: 0.5 });

    await expect.poll(() => letters.count('q')).toBe(1);
  });

  it('that takes letters for good gets them whole, and leaves none in the stream', async () => {
    const taken: DeadLetter[] = [];
    const whole = sink(true, async (letter) => void taken.push(letter));
    const { client, letters } = await startApp(newPrefix(), [], whole);
    const { ref } = await client.enqueue('pay', { cents: 0.5 }, { headers: { tenant: 't' } });

    await expect.poll(async () => (await client.get(ref))?.state).toBe('dead');
    expect(taken).toMatchObject([
      { name: 'pay', reason: 'non-retryable', headers: { tenant: 't' }, body: '{"cents":0.5}' },
    ]);
    expect(taken[0]?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(await letters.count('q')).toBe(0);
    expect(await letters.groups('q')).toEqual([]);
  });

  it('is not asked where dead letters are off, and the stream keeps none', async () => {
    const taken: DeadLetter[] = [];
    const { client, letters } = await startApp(
      newPrefix(),
      [],
      sink(false, async (letter) => void taken.push(letter)),
    );
    const { ref } = await client.enqueue('other', {}, { queue: 'q' });

    await expect.poll(async () => (await client.get(ref))?.state).toBe('dead');
    expect(taken).toEqual([]);
    expect(await letters.count('q')).toBe(0);
  });
});

describe('retention', () => {
  it('tells when a death drops older letters, and when a worker finds letters that are too old', async () => {
    const prefix = newPrefix();
    const first = await startApp(prefix, [], { retention: { maxDeadLetters: 1 } });
    for (const cents of [0.1, 0.2, 0.3]) await first.client.enqueue('pay', { cents });
    await expect.poll(() => first.letters.totals('q')).toMatchObject({ added: 3, dropped: 2 });
    await expect.poll(() => first.dropped.reduce((sum, count) => sum + count, 0)).toBe(2);
    await first.close();

    const second = await startApp(prefix, [], { retention: { deadLettersMs: 1 } });
    await expect.poll(() => second.dropped).toEqual([1]);
    expect(await second.letters.count('q')).toBe(0);
  });
});

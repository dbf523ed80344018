import {
  Injectable,
  Logger,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { of, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { FakeBroker } from '../../../../test/support/nest/fake-broker.js';
import { FakePool } from '../../../../test/support/nest/fake-pool.js';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import { BROKER } from '../contracts/tokens.js';
import { InjectTaskClient } from './inject-task-client.decorator.js';
import { getTaskClientToken } from './task-client.tokens.js';
import { TaskStreamsModule } from './task-streams.module.js';
import { DeadLetterFilter } from '../pipeline/dead-letter.filter.js';
import { IdempotencyInterceptor } from '../pipeline/idempotency.interceptor.js';
import { RetryInterceptor } from '../pipeline/retry.interceptor.js';
import { TaskContext } from '../pipeline/task-context.js';
import { TaskClient } from '../producer/task-client.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import { WorkerPool } from '../worker/worker-pool.js';
import { NestTaskExecutor } from '../transport/nest-task-executor.js';
import { DeadLetterHandler } from '../dead-letters/dead-letter-handler.decorator.js';
import { OnTaskEvent } from '../handlers/on-task-event.decorator.js';
import { Idempotent, Retry } from '../handlers/policy.decorators.js';
import { TaskHandler } from '../handlers/task-handler.decorator.js';

class Bank {
  pay(amount: number): string {
    return `the bank took ${amount}`;
  }
}

class Payment {
  readonly amount!: number;
}

@Injectable()
class Payments {
  constructor(
    private readonly bank: Bank,
    readonly tasks: TaskClient,
    @InjectTaskClient('mail') readonly mail: TaskClient,
  ) {}

  @TaskHandler('pay')
  @Retry({ attempts: 2 })
  @Idempotent({ key: ({ amount }: Payment) => String(amount) })
  pay(payment: Payment, context: Pick<TaskContext, 'attempt'>): string {
    return `${this.bank.pay(payment.amount)} at attempt ${context.attempt}`;
  }

  @OnTaskEvent('dead')
  @DeadLetterHandler('pay')
  hear(): void {}
}

/** A context of a test's own: a cast must not be needed. */
const context: TaskContext = {
  ref: 'default~0~1',
  taskId: '1',
  name: 'pay',
  queue: 'default',
  attempt: 3,
  deliveryCount: 3,
  idempotencyKey: 'default/pay/1',
  bareIdempotencyKey: '1',
  headers: {},
  enqueuedAt: 0,
  deadline: undefined,
  signal: new AbortController().signal,
  progress: () => undefined,
  log: () => undefined,
  enqueue: () => ({ id: '2', queue: 'default', ref: 'default~0~2' }),
  complete: () => undefined,
  release: () => undefined,
  retry: () => undefined,
  deadLetter: () => undefined,
};

describe('a test of a handler alone', () => {
  it('needs a module with the handler and its fakes, and nothing of this library', async () => {
    const fakeClient = { enqueue: vi.fn() };
    const module = await Test.createTestingModule({
      providers: [
        Payments,
        { provide: Bank, useValue: { pay: (amount: number) => `faked ${amount}` } },
        { provide: TaskClient, useValue: fakeClient },
        { provide: getTaskClientToken('mail'), useValue: fakeClient },
      ],
    }).compile();
    const payments = module.get(Payments);
    expect(payments.pay({ amount: 5 }, context)).toBe('faked 5 at attempt 3');
    expect(payments.pay({ amount: 5 }, { attempt: 1 })).toBe('faked 5 at attempt 1');
    expect(payments.mail).toBe(fakeClient);
    await module.init();
    await module.close();
  });
});

@Injectable()
class PassingInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle();
  }
}

@Injectable()
class ShortTasks {
  @TaskHandler('work')
  run(payload: unknown): unknown {
    if (payload === 'fail') throw new Error('boom');
    return payload;
  }
}

@Injectable()
class LongTasks {
  @TaskHandler('work')
  @UseInterceptors(PassingInterceptor)
  run(payload: unknown): unknown {
    if (payload === 'fail') throw new Error('boom');
    return payload;
  }
}

describe.each([
  ['the short pipeline', ShortTasks],
  ['the whole pipeline', LongTasks],
])('a piece that a test replaces, on %s', (_name, handlers) => {
  async function runWith(
    piece: typeof RetryInterceptor | typeof IdempotencyInterceptor | typeof DeadLetterFilter,
    replacement: object,
    payload: unknown,
  ): Promise<TaskOutcome> {
    const module = await Test.createTestingModule({
      imports: [TaskStreamsModule.forRoot({ autoStart: true })],
      providers: [handlers],
    })
      .overrideProvider(BROKER)
      .useValue(new FakeBroker())
      .overrideProvider(WorkerPool)
      .useValue(new FakePool())
      .overrideProvider(piece)
      .useValue(replacement)
      .compile();
    await module.init();
    const outcome = await module.get(NestTaskExecutor).execute(deliveryOf({ payload })).outcome;
    await module.close();
    return outcome;
  }

  it.each([
    ['RetryInterceptor', RetryInterceptor],
    ['IdempotencyInterceptor', IdempotencyInterceptor],
  ])('is called, and the task completes: %s', async (_piece, piece) => {
    const intercept = vi.fn((_: ExecutionContext, next: CallHandler) => next.handle());
    expect(await runWith(piece, { intercept }, 'ok')).toMatchObject({ kind: 'complete', result: { json: '"ok"' } });
    expect(intercept).toHaveBeenCalledOnce();
  });

  it('may answer a promise, and an answer of its own completes nothing', async () => {
    const intercept = async () => of('answered');
    expect(await runWith(RetryInterceptor, { intercept }, 'ok')).toMatchObject({
      kind: 'retry',
      error: { name: 'TaskNotCompletedError' },
    });
  });

  it('is called for an error, which is a failure all the same: the filter', async () => {
    const filter = { catch: vi.fn(() => of('swallowed')) };
    expect(await runWith(DeadLetterFilter, filter, 'fail')).toMatchObject({
      kind: 'retry',
      error: { message: 'boom' },
    });
    expect(filter.catch).toHaveBeenCalledOnce();
  });
});

describe('a test of an application whose client is a fake', () => {
  it('does not wait for Redis at the start', async () => {
    const enqueue = vi.fn();
    const module = await Test.createTestingModule({
      imports: [TaskStreamsModule.forRoot({ connection: 'redis://127.0.0.1:1' })],
      providers: [ShortTasks],
    })
      .overrideProvider(TaskClient)
      .useValue({ enqueue })
      .compile();
    const app = module.createNestApplication({ logger: false });
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    await app.init();
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
    await app.get(TaskClient).enqueue('work', 1);
    await app.close();
    expect(enqueue).toHaveBeenCalledOnce();
  });
});

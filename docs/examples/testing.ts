import { Injectable } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { defineTask, TaskClient, TaskHandler, TaskStreamsModule, type TaskContext } from 'nestjs-task-streams';

declare function expect(value: unknown): { toBe(other: unknown): void; toEqual(other: unknown): void };
declare function it(name: string, work: () => Promise<void>): void;

interface Charge {
  readonly orderId: string;
  readonly cents: number;
}

export abstract class Bank {
  abstract charge(cents: number, key: string): Promise<string>;
}

export const charge = defineTask<Charge, string>('payments.charge', { queue: 'payments' });
export const mailReceipt = defineTask<{ orderId: string }>('mail.receipt', { queue: 'mail' });

/** What the handler asks of its context: a test makes no more than this. */
type ChargeContext = Pick<TaskContext, 'idempotencyKey' | 'enqueue'>;

@Injectable()
export class ChargeHandler {
  constructor(private readonly bank: Bank) {}

  @TaskHandler(charge, { retry: { attempts: 3 } })
  async run(@Payload() { orderId, cents }: Charge, @Ctx() ctx: ChargeContext): Promise<string> {
    const receipt = await this.bank.charge(cents, ctx.idempotencyKey);
    ctx.enqueue(mailReceipt, { orderId });
    return receipt;
  }
}

it('charges once with the key of the task, and mails the receipt', async () => {
  const keys: string[] = [];
  const followUps: unknown[] = [];
  const bank: Bank = { charge: async (_cents, key) => `receipt ${keys.push(key)}` };
  const module = await Test.createTestingModule({
    providers: [ChargeHandler, { provide: Bank, useValue: bank }],
  }).compile();

  const ctx: ChargeContext = {
    idempotencyKey: 'payments/payments.charge/order-17',
    enqueue: (_task: unknown, payload?: unknown) => {
      followUps.push(payload);
      return { id: '1', queue: 'mail', ref: 'mail~0~1' as ReturnType<TaskContext['enqueue']>['ref'] };
    },
  };
  expect(await module.get(ChargeHandler).run({ orderId: 'order-17', cents: 100 }, ctx)).toBe('receipt 1');
  expect(keys).toEqual(['payments/payments.charge/order-17']);
  expect(followUps).toEqual([{ orderId: 'order-17' }]);
});

@Injectable()
export class Orders {
  constructor(private readonly tasks: TaskClient) {}

  async place(orderId: string): Promise<string> {
    return (await this.tasks.enqueue(charge, { orderId, cents: 100 }, { id: orderId })).ref;
  }
}

it('enqueues the charge under the id of the order', async () => {
  const sent: unknown[] = [];
  const tasks = {
    enqueue: async (task: { name: string }, payload: unknown, options: unknown) => {
      sent.push([task.name, payload, options]);
      return { ref: 'payments~0~order-17' };
    },
  };
  const module = await Test.createTestingModule({
    providers: [Orders, { provide: TaskClient, useValue: tasks }],
  }).compile();

  expect(await module.get(Orders).place('order-17')).toBe('payments~0~order-17');
  expect(sent).toEqual([['payments.charge', { orderId: 'order-17', cents: 100 }, { id: 'order-17' }]]);
});

it('runs through the whole pipeline, against a real Redis', async () => {
  const bank: Bank = { charge: async () => 'receipt 1' };
  const module = await Test.createTestingModule({
    imports: [
      TaskStreamsModule.forRoot({
        connection: { url: process.env['REDIS_URL'] ?? 'redis://localhost:6379' },
        // Keys of this run alone, so that files of tests can run side by side and leave nothing behind for the next.
        prefix: `test-${process.pid}-${Date.now()}`,
        autoStart: true,
        retry: { backoff: { type: 'fixed', delayMs: 10 } },
      }),
    ],
    providers: [ChargeHandler, { provide: Bank, useValue: bank }],
  }).compile();
  await module.init();
  try {
    const tasks = module.get(TaskClient);
    const { ref } = await tasks.enqueue(charge, { orderId: 'order-17', cents: 100 });
    expect(await tasks.result(ref, { timeoutMs: 5_000 })).toBe('receipt 1');
  } finally {
    await module.close();
  }
});

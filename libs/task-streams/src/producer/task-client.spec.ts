import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../options/resolve-options.js';
import { InvalidNameError, InvalidOptionError, UsageError } from '../task/config-errors.js';
import { EnqueueRefusedError, PayloadInvalidError, TaskConflictError } from '../task/producer-errors.js';
import { defineTask } from '../task/task-contract.js';
import { FakeBroker } from './fake-broker.spec-support.js';
import { TaskCatalog } from './task-catalog.js';
import { TaskClient } from './task-client.js';

class Line {
  @IsString() sku!: string;
  @IsInt() @Min(1) count!: number;
}
class Order {
  @IsInt() id!: number;
  @ValidateNested({ each: true }) @Type(() => Line) lines!: Line[];
}
class Undecorated {
  id!: number;
}
const placeOrder = defineTask<Order, { invoice: string }>('orders.place', { queue: 'orders', payload: Order });
const valid = { id: 1, lines: [{ sku: 'a', count: 1 }] };

function setUp(options: { validate?: boolean; queue?: string } = {}): { broker: FakeBroker; client: TaskClient } {
  const broker = new FakeBroker();
  const { validate = true, queue } = options;
  return {
    broker,
    client: new TaskClient({
      broker: broker.asPort(),
      options: resolveOptions({ validate }),
      catalog: new TaskCatalog(),
      queue,
    }),
  };
}

describe('enqueue', () => {
  it('answers a receipt whose ref finds the task again', async () => {
    const { client } = setUp();
    const receipt = await client.enqueue('mail.send', { to: 'a' }, { id: 'm1', queue: 'mail' });

    expect(receipt).toEqual({
      id: 'm1',
      queue: 'mail',
      ref: 'mail~0~m1',
      entryId: '1-0',
      state: 'waiting',
      duplicate: false,
      durability: { level: 'memory', confirmedBy: undefined, replicas: undefined },
    });
    await expect(client.get(receipt.ref)).resolves.toMatchObject({
      id: 'm1',
      queue: 'mail',
      name: 'mail.send',
      state: 'waiting',
    });
  });

  it('says of a delayed task that it is delayed', async () => {
    await expect(setUp().client.enqueue('mail.send', null, { delayMs: 5_000 })).resolves.toMatchObject({
      state: 'delayed',
      entryId: undefined,
    });
  });

  it('adds the same task once and says so', async () => {
    const { client } = setUp();
    await client.enqueue('mail.send', { to: 'a' }, { id: 'm1' });

    await expect(client.enqueue('mail.send', { to: 'a' }, { id: 'm1' })).resolves.toMatchObject({
      duplicate: true,
      entryId: '1-0',
    });
  });

  it('refuses another payload or another name under a known id', async () => {
    const { client } = setUp();
    await client.enqueue('mail.send', { to: 'a' }, { id: 'm1' });

    await expect(client.enqueue('mail.send', { to: 'b' }, { id: 'm1' })).rejects.toBeInstanceOf(TaskConflictError);
    await expect(client.enqueue('mail.drop', { to: 'a' }, { id: 'm1' })).rejects.toMatchObject({ taskId: 'm1' });
  });

  it('tells what Redis said about a refused task', async () => {
    const { broker, client } = setUp();
    broker.refusedIds.add('m1');

    await expect(client.enqueue('mail.send', {}, { id: 'm1' })).rejects.toThrow(EnqueueRefusedError);
    await expect(client.enqueue('mail.send', {}, { id: 'm1' })).rejects.toThrow('WRONGTYPE not a stream');
  });

  it('sends the tasks of one turn together', async () => {
    const { broker, client } = setUp();
    await Promise.all(Array.from({ length: 50 }, (_, index) => client.enqueue('mail.send', index)));

    expect(broker.calls).toHaveLength(1);
    expect(broker.calls[0]?.items.map(({ body }) => Number(body))).toEqual(
      Array.from({ length: 50 }, (_, index) => index),
    );
  });

  it('sends the payload as it was at the call', async () => {
    const { broker, client } = setUp();
    const payload = { amount: 1 };
    const sent = client.enqueue('pay', payload);
    payload.amount = 2;
    await sent;

    expect(broker.calls[0]?.items[0]?.body).toBe('{"amount":1}');
  });

  it.each([{ replicas: 1 }, { replicas: 2, timeoutMs: 50 }, 'fsync' as const])(
    'asks for the durability %o',
    async (durability) => {
      const { broker, client } = setUp();
      const receipt = await client.enqueue('pay', 1, { durability });

      expect(broker.calls[0]?.durability).toEqual(durability);
      expect(receipt.durability.level).toBe(durability === 'fsync' ? 'fsync' : 'replicas');
    },
  );

  it.each([
    'disk',
    { replicas: 0 },
    { replicas: 1.5 },
    {},
    { replicas: 1, timeout: 5 },
    { replicas: 1, timeoutMs: 0 },
    null,
    3,
  ])('refuses the durability %o', async (durability) => {
    await expect(setUp().client.enqueue('pay', 1, { durability: durability as 'memory' })).rejects.toBeInstanceOf(
      InvalidOptionError,
    );
  });

  it('rejects and never throws, and sends nothing', async () => {
    const { broker, client } = setUp();
    await expect(client.enqueue('a b', {})).rejects.toBeInstanceOf(InvalidNameError);
    await expect(client.enqueue('pay', 1n)).rejects.toMatchObject({ code: 'TASK_STREAMS_PAYLOAD_NOT_SERIALIZABLE' });
    await expect(client.enqueue('pay', 1, null as unknown as object)).rejects.toBeInstanceOf(InvalidOptionError);

    expect(broker.calls).toEqual([]);
  });

  it('sends a task by its name to the queue of the client', async () => {
    await expect(setUp({ queue: 'mail' }).client.enqueue('mail.send', {})).resolves.toMatchObject({ queue: 'mail' });
    expect(() => setUp({ queue: '{mail}' })).toThrow(InvalidNameError);
  });
});

describe('a payload with a class', () => {
  it('is sent where it is valid', async () => {
    await expect(setUp().client.enqueue(placeOrder, valid)).resolves.toMatchObject({ queue: 'orders' });
  });

  it('is refused with every violation and the path of its field', async () => {
    const { broker, client } = setUp();
    const payload = {
      id: 1.5,
      lines: [
        { sku: 'a', count: 1 },
        { sku: 'b', count: 0 },
      ],
    };
    const error: unknown = await client.enqueue(placeOrder, payload).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(PayloadInvalidError);
    expect(error).toMatchObject({
      violations: ['id must be an integer number', 'lines.1.count must not be less than 1'],
    });
    expect(broker.calls).toEqual([]);
  });

  it.each(['constructor', 'prototype'])('is refused with a member %s, which the class would lose', async (name) => {
    const payload = { id: 1, lines: [{ sku: 'a', count: 1, [name]: 1 }] };
    await expect(setUp().client.enqueue(placeOrder, payload)).rejects.toMatchObject({
      violations: [expect.stringContaining(`payload.lines[0].${name} would be lost`)],
    });
  });

  it.each([[[]], ['text'], [null], [7]])('is an object: %o is not', async (payload) => {
    await expect(setUp().client.enqueue(placeOrder, payload as unknown as Order)).rejects.toMatchObject({
      violations: ['the payload must be an object'],
    });
  });

  it('is checked as the worker will see it, after JSON', async () => {
    const order = Object.assign(new Order(), { id: new Date(0) as unknown as number, lines: [] });

    await expect(setUp().client.enqueue(placeOrder, order)).rejects.toMatchObject({
      violations: ['id must be an integer number'],
    });
  });

  it('is not checked where validation is off, or the class says nothing', async () => {
    const undecorated = defineTask('demo', { payload: Undecorated });

    await expect(
      setUp({ validate: false }).client.enqueue(placeOrder, { id: 'x' } as unknown as Order),
    ).resolves.toBeDefined();
    await expect(setUp().client.enqueue(undecorated, [] as unknown as Undecorated)).resolves.toBeDefined();
  });
});

describe('get', () => {
  it('answers everything that is known, with dates', async () => {
    const { broker, client } = setUp();
    const error = { name: 'Error', message: 'boom' };
    const times = { enqueuedAt: 1_000, startedAt: 2_000, dueAt: 4_000 };
    broker.put('mail', 'm1', {
      name: 'mail.send',
      state: 'retrying',
      failedAttempts: 1,
      deliveryCount: 2,
      error,
      progress: 5,
      ...times,
    });

    await expect(client.get({ queue: 'mail', id: 'm1' })).resolves.toEqual({
      ref: 'mail~0~m1',
      id: 'm1',
      queue: 'mail',
      name: 'mail.send',
      state: 'retrying',
      failedAttempts: 1,
      deliveryCount: 2,
      enqueuedAt: new Date(1_000),
      startedAt: new Date(2_000),
      finishedAt: undefined,
      runAt: new Date(4_000),
      progress: 5,
      result: undefined,
      resultOmitted: undefined,
      error,
    });
  });

  it('answers undefined for an unknown task and refuses what is no reference', async () => {
    const { client } = setUp();

    await expect(client.get('mail~0~m1')).resolves.toBeUndefined();
    await expect(client.get('m1')).rejects.toBeInstanceOf(InvalidNameError);
  });
});

describe('the types', () => {
  it('hold a contract to its payload', () => {
    const { client } = setUp();
    const mistaken = { task: placeOrder, payload: { id: 1 } };
    const calls = (): unknown[] => [
      client.enqueue(placeOrder, valid),
      client.enqueueMany([
        { task: placeOrder, payload: valid },
        { task: 'any', payload: 7 },
      ]),
      client.enqueueMany([1, 2].map((id) => ({ task: placeOrder, payload: { id, lines: [] } }))),
      // @ts-expect-error the payload lacks its lines
      client.enqueue(placeOrder, { id: 1 }),
      // @ts-expect-error the payload lacks its lines
      client.enqueueMany([{ task: 'a', payload: 7 }, mistaken]),
    ];

    expect(calls).toBeTypeOf('function');
  });
});

describe('enqueueMany with something else than a list', () => {
  it('is a usage error', async () => {
    await expect(setUp().client.enqueueMany({} as unknown as [])).rejects.toBeInstanceOf(UsageError);
  });
});

import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../options/resolve-options.js';
import { EnqueueManyError } from '../task/enqueue-many-error.js';
import {
  DurabilityNotConfirmedError,
  EnqueueUncertainError,
  PayloadNotSerializableError,
  QueueFullError,
  QueueUnavailableError,
} from '../task/producer-errors.js';
import { FakeBroker } from './fake-broker.spec-support.js';
import { TaskCatalog } from './task-catalog.js';
import { TaskClient, type TaskToEnqueue } from './task-client.js';

function setUp(): { broker: FakeBroker; client: TaskClient } {
  const broker = new FakeBroker();
  return {
    broker,
    client: new TaskClient({ broker: broker.asPort(), options: resolveOptions(), catalog: new TaskCatalog() }),
  };
}

function tasks(count: number, queueOf: (index: number) => string = () => 'mail'): TaskToEnqueue[] {
  return Array.from({ length: count }, (_, index) => ({
    task: 'demo',
    payload: index,
    options: { id: `t${index}`, queue: queueOf(index) },
  }));
}

/** Lets no call be answered until the returned function is called. */
function hold(broker: FakeBroker): () => void {
  let answer = (): void => undefined;
  broker.gate = new Promise((resolve) => {
    answer = resolve;
  });
  return () => answer();
}

async function failure(sent: Promise<unknown>): Promise<EnqueueManyError> {
  const error: unknown = await sent.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof EnqueueManyError) return error;
  throw new Error('it did not fail as a list', { cause: error });
}

function ids(items: readonly { id: string }[]): string[] {
  return items.map(({ id }) => id);
}

describe('enqueueMany', () => {
  it('answers receipts in the order of the list, whatever the queues', async () => {
    const { broker, client } = setUp();
    const receipts = await client.enqueueMany(tasks(5, (index) => (index % 2 ? 'odd' : 'even')));

    expect(receipts.map(({ id, queue }) => `${id} ${queue}`)).toEqual([
      't0 even',
      't1 odd',
      't2 even',
      't3 odd',
      't4 even',
    ]);
    expect(broker.calls.map(({ queue, items }) => `${queue} ${ids(items).join()}`)).toEqual([
      'even t0,t2,t4',
      'odd t1,t3',
    ]);
  });

  it('sends nothing for an empty list', async () => {
    const { broker, client } = setUp();

    await expect(client.enqueueMany([])).resolves.toEqual([]);
    expect(broker.calls).toEqual([]);
  });

  it('puts at most 50 tasks and a mebibyte of text into a call', async () => {
    const { broker, client } = setUp();
    await client.enqueueMany(tasks(101));
    const third = 'x'.repeat(400_000);
    await client.enqueueMany([third, third, third].map((payload) => ({ task: 'demo', payload })));

    expect(broker.calls.map(({ items }) => items.length)).toEqual([50, 50, 1, 2, 1]);
  });

  it('sends four calls before the first is answered, and no more', async () => {
    const { broker, client } = setUp();
    const answer = hold(broker);
    const sent = client.enqueueMany(tasks(500));
    await expect.poll(() => broker.calls.length).toBe(4);
    answer();

    const receipts = await sent;
    expect(receipts.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, index) => `t${index}`));
    expect(broker.calls).toHaveLength(10);
  });

  it('sends to eight queues at once, each in order, and to the others as these end', async () => {
    const { broker, client } = setUp();
    const answer = hold(broker);
    const sent = client.enqueueMany(tasks(1_200, (index) => `q${index % 12}`));
    await expect.poll(() => broker.calls.length).toBe(16);
    expect(new Set(broker.calls.map(({ queue }) => queue)).size).toBe(8);
    answer();

    const receipts = await sent;
    expect(receipts.map(({ id }) => id)).toEqual(Array.from({ length: 1_200 }, (_, index) => `t${index}`));
    for (const queue of ['q0', 'q11']) {
      const sentTo = broker.calls.filter((call) => call.queue === queue).flatMap(({ items }) => ids(items));
      expect(sentTo).toEqual(receipts.filter((receipt) => receipt.queue === queue).map(({ id }) => id));
    }
  });

  it('sends nothing more to any queue after a call that failed, and says so of each task', async () => {
    const { broker, client } = setUp();
    broker.failures.set(2, new QueueUnavailableError([], 'no answer'));
    const error = await failure(client.enqueueMany(tasks(1_200, (index) => `q${index % 12}`)));

    expect(broker.calls.length).toBeLessThan(24);
    const { enqueued, uncertain, notEnqueued } = error;
    expect(uncertain).toEqual([]);
    expect(enqueued).toHaveLength((broker.calls.length - 1) * 50);
    expect([...enqueued, ...notEnqueued].map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 1_200 }, (_, index) => index),
    );
  });

  it('puts up to 500 tasks into a call that waits for a disk, and waits for each call', async () => {
    const { broker, client } = setUp();
    const answer = hold(broker);
    const durable = tasks(1_001).map((task) => ({
      ...task,
      options: { ...task.options, durability: 'fsync' as const },
    }));
    const sent = client.enqueueMany(durable);
    await expect.poll(() => broker.calls.length).toBe(1);
    answer();

    await sent;
    expect(broker.calls.map(({ items }) => items.length)).toEqual([500, 500, 1]);
  });

  it('asks for the durability of each task', async () => {
    const { broker, client } = setUp();
    await client.enqueueMany([
      { task: 'demo', payload: 1 },
      { task: 'demo', payload: 2, options: { durability: 'fsync' } },
    ]);

    expect(broker.calls.map(({ durability }) => durability)).toEqual(['memory', 'fsync']);
  });

  it('sends nothing when one task cannot be sent, and says which', async () => {
    const { broker, client } = setUp();
    const sent = client.enqueueMany([...tasks(3), { task: 'demo', payload: { n: 1n } }]);

    await expect(sent).rejects.toBeInstanceOf(PayloadNotSerializableError);
    await expect(sent).rejects.toThrow('Task 3 of the list: The payload of task "demo" cannot be sent');
    expect(broker.calls).toEqual([]);
  });
});

describe('enqueueMany when a call fails', () => {
  it('lists what is in, what may be, and what was not sent', async () => {
    const { broker, client } = setUp();
    const cause = new EnqueueUncertainError(['t50'], 'the connection broke');
    broker.failures.set(1, cause);
    const error = await failure(client.enqueueMany(tasks(420)));

    // What was under way with the call that failed has its own answers.
    expect(broker.calls).toHaveLength(4);
    expect(error.enqueued.map(({ index }) => Math.floor(index / 50))).toEqual(
      [0, 2, 3].flatMap((call) => Array.from({ length: 50 }, () => call)),
    );
    expect(error.uncertain[0]).toEqual({ index: 50, queue: 'mail', id: 't50' });
    expect([error.uncertain.length, error.notEnqueued.length]).toEqual([50, 220]);
    expect(error.cause).toBe(cause);
    expect(error.message).toContain('Of 420 tasks 150 are in their queues, 220 are not and 50 may be');
  });

  it.each([
    ['notEnqueued', new QueueUnavailableError([], 'no answer')],
    ['notEnqueued', new QueueFullError([])],
    ['enqueued', new DurabilityNotConfirmedError([], 'fsync', 'no answer')],
    ['uncertain', new TypeError('a bug')],
  ] as const)('counts its tasks as %s after %o', async (list, cause) => {
    const { broker, client } = setUp();
    broker.failures.set(0, cause);
    const error = await failure(client.enqueueMany(tasks(2)));

    expect(ids(error[list])).toEqual(['t0', 't1']);
    expect(error.enqueued.length + error.uncertain.length + error.notEnqueued.length).toBe(2);
  });

  it('can be repeated with the same ids', async () => {
    const { broker, client } = setUp();
    broker.failures.set(1, new QueueUnavailableError([], 'no answer'));
    await failure(client.enqueueMany(tasks(60)));
    const receipts = await client.enqueueMany(tasks(60));

    expect(receipts.filter(({ duplicate }) => duplicate)).toHaveLength(50);
  });
});

describe('enqueueMany when single tasks are refused', () => {
  it('goes on with the others and lists the refused', async () => {
    const { broker, client } = setUp();
    await client.enqueue('demo', 'another payload', { id: 't1', queue: 'mail' });
    broker.refusedIds.add('t3');
    const error = await failure(client.enqueueMany(tasks(600)));

    expect(ids(error.notEnqueued)).toEqual(['t1', 't3']);
    expect(error.enqueued).toHaveLength(598);
    expect(error.errors).toMatchObject([
      { code: 'TASK_STREAMS_TASK_CONFLICT' },
      { code: 'TASK_STREAMS_ENQUEUE_REFUSED' },
    ]);
  });

  it('does not know about a task for which there is no answer', async () => {
    const broker = new FakeBroker();
    broker.append = () =>
      Promise.resolve({
        replies: [],
        durability: { level: 'memory' as const, confirmedBy: undefined, replicas: undefined },
      });
    const client = new TaskClient({ broker: broker.asPort(), options: resolveOptions(), catalog: new TaskCatalog() });

    expect(ids((await failure(client.enqueueMany(tasks(1)))).uncertain)).toEqual(['t0']);
    await expect(client.enqueue('demo', 1)).rejects.toBeInstanceOf(EnqueueUncertainError);
  });
});

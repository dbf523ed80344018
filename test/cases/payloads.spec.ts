import { describe, expect, it } from 'vitest';
import {
  InvalidNameError,
  PayloadNotSerializableError,
  PayloadTooLargeError,
} from '../../libs/task-streams/src/index.js';
import { Bench } from './support/bench.js';
import { QUEUE } from './support/options.js';

const circular: Record<string, unknown> = { name: 'a circle' };
circular['self'] = { again: circular };

function nested(depth: number): unknown {
  let value: unknown = 'the end';
  for (let i = 0; i < depth; i += 1) value = { next: value };
  return value;
}

class Account {
  #balance = 5;
  owner = 'me';

  balance(): number {
    return this.#balance;
  }
}

describe('a payload that has no JSON', () => {
  const refused: readonly { readonly what: string; readonly payload: unknown; readonly path: string }[] = [
    { what: 'a BigInt', payload: { order: { id: 10n } }, path: 'payload.order.id' },
    { what: 'a circle', payload: circular, path: 'payload.self.again' },
    {
      what: 'a getter that throws',
      payload: Object.defineProperty({}, 'price', {
        enumerable: true,
        get: () => {
          throw new Error('no price');
        },
      }),
      path: 'payload.price',
    },
    {
      what: 'a toJSON that throws',
      payload: {
        list: [
          {
            toJSON: () => {
              throw new Error('no');
            },
          },
        ],
      },
      path: 'payload.list[0]',
    },
    { what: 'ten thousand levels', payload: nested(10_000), path: 'payload.next' },
    { what: 'a function', payload: () => undefined, path: 'payload' },
    { what: 'a symbol', payload: Symbol('s'), path: 'payload' },
    { what: 'undefined', payload: undefined, path: 'payload' },
  ];

  it('is refused at once with the place of the fault, writes nothing, and harms nobody', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    for (const { payload, path, what } of refused) {
      const error: unknown = await client.enqueue('job', payload, { queue: QUEUE }).catch((reason: unknown) => reason);
      expect(error, what).toBeInstanceOf(PayloadNotSerializableError);
      expect((error as PayloadNotSerializableError).path, what).toMatch(path);
      expect((error as PayloadNotSerializableError).message, what).toContain(path);
    }
    expect(await bench.redis.keys(`${bench.prefix}:*`)).toEqual([]);
    await client.enqueue('job', { fine: true }, { queue: QUEUE });
    expect(await bench.redis.xlen(bench.stream)).toBe(1);
  });

  it('is measured in bytes and not in characters', async () => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    const mebibyte = 1_048_576;
    const send = (text: string) => client.enqueue('job', text, { queue: QUEUE });
    await expect(send('x'.repeat(5_000_000))).rejects.toThrow(PayloadTooLargeError);
    await expect(send('x'.repeat(mebibyte - 1))).rejects.toThrow(PayloadTooLargeError);
    await expect(send('ü'.repeat(mebibyte / 2))).rejects.toThrow(PayloadTooLargeError);
    expect(await bench.redis.exists(bench.stream)).toBe(0);
    // With its two quotes exactly the limit.
    await expect(send('x'.repeat(mebibyte - 2))).resolves.toMatchObject({ state: 'waiting' });
  });
});

describe('a payload', () => {
  const values: readonly { readonly what: string; readonly sent: unknown; readonly received: unknown }[] = [
    ...[{}, [], '', 0, false, null, -1, 1e308].map((value) => ({
      what: JSON.stringify(value),
      sent: value,
      received: value,
    })),
    {
      what: 'text in any script, not normalised',
      sent: { name: 'Łódź 東京 🏳️‍🌈 e\u0301' },
      received: { name: 'Łódź 東京 🏳️‍🌈 e\u0301' },
    },
    { what: 'half of a surrogate pair', sent: { s: '\ud800' }, received: { s: '\ud800' } },
    {
      what: 'text that looks like the protocol of Redis',
      sent: { s: 'a\u0000b\r\n$5\r\nHELLO\r\n*1\r\n' },
      received: { s: 'a\u0000b\r\n$5\r\nHELLO\r\n*1\r\n' },
    },
    {
      what: 'keys of every kind',
      sent: { 'a.b': 1, 'c:d': 2, '{e}': 3, 'f g': 4, 'h\ni': 5, '': 6 },
      received: { 'a.b': 1, 'c:d': 2, '{e}': 3, 'f g': 4, 'h\ni': 5, '': 6 },
    },
    { what: 'a Date', sent: { at: new Date(0) }, received: { at: '1970-01-01T00:00:00.000Z' } },
    { what: 'an invalid Date', sent: { at: new Date(Number.NaN) }, received: { at: null } },
    {
      what: 'numbers that JSON lacks',
      sent: { a: Number.NaN, b: Infinity, c: -0 },
      received: { a: null, b: null, c: 0 },
    },
    { what: 'members that are undefined', sent: { a: undefined, b: [undefined] }, received: { b: [null] } },
    {
      what: 'members that are functions or symbols',
      sent: { a: () => 1, b: [() => 1, Symbol('s')], c: Symbol('s') },
      received: { b: [null, null] },
    },
    { what: 'a Map', sent: { a: new Map([[1, 2]]) }, received: { a: {} } },
    { what: 'a Set', sent: { a: new Set([1]) }, received: { a: {} } },
    { what: 'a RegExp', sent: { a: /x/ }, received: { a: {} } },
    { what: 'an Error', sent: { a: new Error('x') }, received: { a: {} } },
    { what: 'an object with a private part', sent: new Account(), received: { owner: 'me' } },
    { what: 'a Buffer', sent: { a: Buffer.from([1, 2]) }, received: { a: { type: 'Buffer', data: [1, 2] } } },
    { what: 'bytes', sent: { a: new Uint8Array([1, 2]) }, received: { a: { 0: 1, 1: 2 } } },
  ];

  // The library has one serialiser, JSON, and no strict mode: what JSON.stringify writes is what is sent, as documented at
  // `enqueue`. A payload class refuses the rest.
  it('arrives as what JSON makes of it, each kind of value', async () => {
    const bench = await Bench.open();
    const seen = new Map<string, unknown>();
    const { client } = await bench.app({
      tasks: { job: (payload: unknown, ctx) => void seen.set(ctx.taskId, payload) },
    });
    for (const [i, { sent }] of values.entries()) await client.enqueue('job', sent, { id: `v${i}`, queue: QUEUE });

    await expect.poll(() => seen.size).toBe(values.length);
    for (const [i, { what, received }] of values.entries()) {
      expect([what, seen.get(`v${i}`)]).toStrictEqual([what, received]);
    }
    expect(await bench.deadLetters()).toEqual([]);
  });

  it('is what it was when it was sent: what is changed afterwards is not sent', async () => {
    const bench = await Bench.open();
    const seen: unknown[] = [];
    const { client } = await bench.app({ tasks: { job: (payload: unknown) => void seen.push(payload) } });
    const payload = { amount: 1 };
    const sent = client.enqueue('job', payload, { queue: QUEUE });
    payload.amount = 1_000_000;
    await sent;
    await expect.poll(() => seen).toEqual([{ amount: 1 }]);
  });
});

describe('a name', () => {
  it.each(['\ud800', 'a\udc00b'])('that has half of a surrogate pair is refused: %j', async (name) => {
    const bench = await Bench.open();
    const { client } = await bench.producer();
    // Two such names would become the same bytes.
    await expect(client.enqueue('job', {}, { id: name, queue: QUEUE })).rejects.toThrow(InvalidNameError);
    await expect(client.enqueue('job', {}, { idempotencyKey: name, queue: QUEUE })).rejects.toThrow(InvalidNameError);
    await expect(client.enqueue('job', {}, { queue: name })).rejects.toThrow(InvalidNameError);
    await expect(client.enqueue(name, {}, { queue: QUEUE })).rejects.toThrow(InvalidNameError);
    expect(await bench.redis.keys(`${bench.prefix}:*`)).toEqual([]);
  });

  it('may have braces, dots and colons where it is the id of a task, which keeps its slot', async () => {
    const bench = await Bench.open();
    const { client } = await bench.app({ tasks: { job: (_: unknown, ctx) => ctx.taskId } });
    for (const id of ['a.b', 'a:b', '{a}', '}{', 'ключ', '*']) {
      const { ref } = await client.enqueue('job', {}, { id, queue: QUEUE });
      expect(await client.result(ref, { timeoutMs: 5_000 })).toBe(id);
    }
    await expect(client.enqueue('job', {}, { id: 'a b', queue: QUEUE })).rejects.toThrow(InvalidNameError);
    await expect(client.enqueue('job', {}, { id: 'a\nb', queue: QUEUE })).rejects.toThrow(InvalidNameError);
  });
});

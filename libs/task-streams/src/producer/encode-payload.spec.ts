import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayloadNotSerializableError, PayloadTooLargeError } from '../task/producer-errors.js';
import { encodePayload } from './encode-payload.js';

const LIMITS = { maxPayloadBytes: 1_048_576, maxPayloadDepth: 200 };

function encode(payload: unknown): string {
  return encodePayload('demo', payload, LIMITS);
}

function refusal(payload: unknown, limits = LIMITS): PayloadNotSerializableError {
  try {
    encodePayload('demo', payload, limits);
  } catch (error) {
    if (error instanceof PayloadNotSerializableError) return error;
    throw error;
  }
  throw new Error('the payload was accepted');
}

function nested(depth: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function boom(): never {
  throw new Error('boom');
}

describe('a payload that has JSON', () => {
  it('is written as JSON.stringify writes it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const json = JSON.stringify(value);
        fc.pre(!json.includes('"__proto__":'));
        expect(encode(value)).toBe(json);
      }),
    );
  });

  it.each([
    ['D04 a Date', { at: new Date(0), bad: new Date(NaN) }, '{"at":"1970-01-01T00:00:00.000Z","bad":null}'],
    ['D05 numbers without JSON', { a: NaN, b: Infinity, c: -0 }, '{"a":null,"b":null,"c":0}'],
    ['D06 members without JSON', { a: undefined, b: boom, c: Symbol('s'), d: [undefined, boom] }, '{"d":[null,null]}'],
    ['D13 a Buffer', { b: Buffer.from([255, 254, 0]) }, '{"b":{"type":"Buffer","data":[255,254,0]}}'],
    ['D14 odd keys', { 'a.b:{c} \n': 1, '': 2 }, '{"a.b:{c} \\n":1,"":2}'],
    ['D15 large numbers', { n: -1, big: 1e308 }, '{"n":-1,"big":1e+308}'],
    [
      'D17 objects without JSON',
      { m: new Map([[1, 2]]), s: new Set([1]), r: /x/, e: new Error('x') },
      '{"m":{},"s":{},"r":{},"e":{}}',
    ],
    ['D22 text like the protocol', { t: '\0\r\n$5\r\nHELLO' }, '{"t":"\\u0000\\r\\n$5\\r\\nHELLO"}'],
    ['D02 half of a surrogate pair', { s: '\ud800' }, '{"s":"\\ud800"}'],
  ])('%s is written as documented', (_, payload, json) => {
    expect(encode(payload)).toBe(json);
  });

  it.each([
    [{}, '{}'],
    [[], '[]'],
    ['', '""'],
    [0, '0'],
    [false, 'false'],
    [null, 'null'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])('D11 %o is never empty text', (payload, json) => {
    expect(encode(payload)).toBe(json);
  });

  it('D10 keeps members that are called constructor and prototype', () => {
    const text = '{"constructor":{"prototype":{"x":1}},"s":"__proto__"}';
    expect(encode(JSON.parse(text))).toBe(text);
  });

  it.each([
    ['{"__proto__":{"admin":true}}', 'payload.__proto__'],
    ['{"a":[1,{"\\u005f_proto__":1}]}', 'payload.a[1].__proto__'],
    ['{"__proto__":null}', 'payload.__proto__'],
  ])('D10 refuses a member __proto__, and says where: %s', (text, path) => {
    expect(() => encode(JSON.parse(text))).toThrow(PayloadNotSerializableError);
    expect(() => encode(JSON.parse(text))).toThrow(`at ${path}.`);
  });

  it('D16 takes the last of two members of one name, as JSON.parse did', () => {
    expect(encode(JSON.parse('{"a":1,"a":2}'))).toBe('{"a":2}');
  });
});

describe('a payload that has no JSON', () => {
  it.each([
    ['D06 undefined', undefined, 'payload'],
    ['D06 a function', boom, 'payload'],
    ['D06 a symbol', Symbol('s'), 'payload'],
    ['a toJSON that answers nothing', { toJSON: (): undefined => undefined }, 'payload'],
    ['D03 a BigInt', 10n, 'payload'],
    ['D03 a BigInt inside', { items: [{ id: 1 }, { id: 10n }] }, 'payload.items[1].id'],
    ['D03 a BigInt object', { n: Object(10n) as unknown }, 'payload.n'],
    [
      'D07 a getter that throws',
      {
        a: {
          get price(): never {
            return boom();
          },
        },
      },
      'payload.a.price',
    ],
    ['D07 a toJSON that throws', { a: [{ toJSON: boom }] }, 'payload.a[0]'],
    ['a toJSON with a BigInt inside', { a: { toJSON: () => ({ b: 1n }) } }, 'payload.a.b'],
    ['an odd key', { 'a b': { '': 1n } }, 'payload["a b"][""]'],
    ['a proxy that throws', { p: new Proxy({}, { ownKeys: boom }) }, 'payload.p'],
  ])('%s is refused with its path', (_, payload, path) => {
    const error = refusal(payload);

    expect(error.path).toBe(path);
    expect(error.message).toContain(`at ${path}.`);
    expect(error.message).toContain('"demo"');
  });

  it('D07 a circle is refused where it closes', () => {
    const order: { lines: unknown[] } = { lines: [] };
    order.lines.push({ order });

    expect(refusal(order)).toMatchObject({ path: 'payload.lines[0].order' });
    expect(refusal(order).message).toContain('circle');
  });

  it('is not a circle when one object is there twice', () => {
    const shared = { a: 1 };

    expect(encode([shared, shared])).toBe('[{"a":1},{"a":1}]');
    expect(refusal({ first: shared, second: shared, n: 1n })).toMatchObject({ path: 'payload.n' });
  });

  it('keeps what was thrown as the cause', () => {
    expect(refusal({ toJSON: boom }).cause).toEqual(new Error('boom'));
    expect(
      refusal({
        toJSON: () => {
          throw Object.create(null);
        },
      }),
    ).toMatchObject({ path: 'payload' });
  });

  it('is refused also when it fails only the first time', () => {
    let reads = 0;
    const payload = {
      get once(): number {
        return (reads += 1) === 1 ? boom() : 1;
      },
    };

    expect(refusal(payload)).toMatchObject({ path: 'payload' });
    expect(
      refusal({
        get once(): number {
          return (reads += 1) === 3 ? boom() : 1;
        },
      }).message,
    ).toContain('boom');
  });

  it('is written where BigInt has been taught to', () => {
    const prototype = BigInt.prototype as { toJSON?: () => string };
    prototype.toJSON = function (this: bigint) {
      return `${this}`;
    };
    try {
      expect(encode({ id: 10n })).toBe('{"id":"10"}');
      expect(refusal({ id: 10n, bad: { toJSON: boom } })).toMatchObject({ path: 'payload.bad' });
    } finally {
      delete prototype.toJSON;
    }
  });
});

describe('a payload that is nested', () => {
  it.each([1, 199, 200])('%i deep is accepted', (depth) => {
    expect(JSON.parse(encode(nested(depth)))).toEqual(nested(depth));
  });

  it.each([201, 1_000, 10_000, 100_000])('D09 %i deep is refused with its path', (depth) => {
    const error = refusal(nested(depth));

    expect(error.message).toContain('deeper than 200 levels (limits.maxPayloadDepth)');
    expect(error.path).toMatch(/^payload(\.a|\[0\])+/);
    expect(error.message.length).toBeLessThan(600);
  });

  it('is checked at the highest limit that can be set', () => {
    const limits = { ...LIMITS, maxPayloadDepth: 1_000 };

    expect(encodePayload('demo', nested(1_000), limits)).toHaveLength(4_005);
    expect(refusal(nested(1_001), limits).message).toContain('deeper than 1000 levels');
    expect(refusal(nested(100_000), limits).message).toContain('deeper than 1000 levels');
  });

  it('is not deep because of its text', () => {
    expect(encode('['.repeat(1_000))).toHaveLength(1_002);
  });
});

describe('a payload that is large', () => {
  it('D08 is counted in bytes, not in characters', () => {
    const limit = LIMITS.maxPayloadBytes;

    expect(encode('x'.repeat(limit - 2))).toHaveLength(limit);
    expect(encode('é'.repeat(limit / 2 - 1))).toHaveLength(limit / 2 + 1);
    expect(() => encode('x'.repeat(limit - 1))).toThrow(PayloadTooLargeError);
    expect(() => encode('é'.repeat(limit / 2))).toThrow(PayloadTooLargeError);
    expect(() => encode('€'.repeat(limit / 3))).toThrow(PayloadTooLargeError);
    expect(() => encode('x'.repeat(5_000_000))).toThrow(/has 5000002 bytes as JSON; the limit is 1048576/);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeError, MAX_ERROR_MESSAGE, MAX_ERROR_STACK } from './error-description.js';

class PartnerError extends Error {
  override readonly name = 'PartnerError';
  readonly code = 'ECONNREFUSED';
}

function boom(): never {
  throw new Error('do not look at me');
}

describe('describeError', () => {
  it('keeps name, message, code and stack of an error', () => {
    const description = describeError(new PartnerError('no answer'));

    expect(description).toMatchObject({ name: 'PartnerError', message: 'no answer', code: 'ECONNREFUSED' });
    expect(description.stack).toContain('error-description.spec');
  });

  it('keeps a numeric code as text and leaves other codes out', () => {
    expect(describeError(Object.assign(new Error('x'), { code: 503 })).code).toBe('503');
    expect(describeError(Object.assign(new Error('x'), { code: {} }))).not.toHaveProperty('code');
  });

  it('cuts what is long, and never in the middle of a character', () => {
    const error = new Error('😀'.repeat(5_000));
    error.stack = 's'.repeat(50_000);
    const { message, stack } = describeError(error);

    expect(message.length).toBeLessThanOrEqual(MAX_ERROR_MESSAGE + 1);
    expect(stack?.length).toBe(MAX_ERROR_STACK + 1);
    expect(describeError(new Error(`x${'😀'.repeat(5_000)}`)).message.isWellFormed()).toBe(true);
    expect(describeError(new Error('half \ud800')).message.isWellFormed()).toBe(true);
  });

  it('keeps the first ten frames, and the message above them once and short', () => {
    const error = new Error(`${'m'.repeat(900)}\nsecond line`);
    const frames = Array.from({ length: 40 }, (_, i) => `    at frame${i} (file:///app/main.js:${i}:1)`);
    error.stack = `Error: ${error.message}\n${frames.join('\n')}`;
    const lines = describeError(error).stack?.split('\n') ?? [];

    expect(lines).toEqual([`Error: ${'m'.repeat(193)}…`, ...frames.slice(0, 10)]);
  });

  it.each([
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [7n, '7'],
    [Symbol('s'), 'Symbol(s)'],
    [{ status: 503 }, '{"status":503}'],
    [{ toJSON: (): undefined => undefined }, '[object Object]'],
  ])('describes %o, which is no error', (thrown, message) => {
    expect(describeError(thrown)).toEqual({ name: 'NonError', message });
  });

  it.each([
    ['a getter', Object.defineProperty(new Error('x'), 'message', { get: boom })],
    ['a code', Object.defineProperty(new Error('x'), 'code', { get: boom })],
    ['a proxy', new Proxy({}, { get: boom, getPrototypeOf: boom })],
    ['a revoked proxy', revoked()],
    ['a toJSON', { toJSON: boom }],
    ['a circle', circle()],
    ['an object without prototype', Object.assign(Object.create(null) as object, { a: 1n })],
    ['a message that is no text', Object.assign(new Error('x'), { message: Object.create(null) as string })],
    ['a name that is no text', Object.assign(new Error('x'), { name: 7 as unknown as string })],
    ['a stack that is no text', Object.assign(new Error('x'), { stack: 7 as unknown as string })],
  ])('does not throw for %s', (_, thrown) => {
    const description = describeError(thrown);

    expect(typeof description.name).toBe('string');
    expect(typeof description.message).toBe('string');
    expect(() => JSON.stringify(description)).not.toThrow();
  });

  it('does not throw for anything', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (thrown) => void describeError(thrown)),
    );
  });
});

function circle(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

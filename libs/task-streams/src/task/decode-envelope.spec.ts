import { describe, expect, it } from 'vitest';
import { decodeEnvelope } from './decode-envelope.js';
import { FRESH_META } from './task-meta.js';

const entry: Record<string, string> = { v: '2', id: 'a', task: 'mail.send', key: '', head: '', body: '{}', meta: '' };

function decode(changes: Record<string, string | undefined> = {}) {
  const { v, id, task, key, head, body, meta } = { ...entry, ...changes };
  const lines = [v, id, task, key, '', head];
  const end = lines.indexOf(undefined);
  const text = (end < 0 ? lines : lines.slice(0, end)).join('\n');
  const fields = [
    ...(v === undefined ? [] : ['head', text]),
    ...(body === undefined ? [] : ['body', body]),
    ...(meta ? ['meta', meta] : []),
  ];
  return decodeEnvelope(fields, 2);
}

function headOf(head: unknown) {
  const decoded = decode({ head: typeof head === 'string' ? head : JSON.stringify(head) });
  if (decoded.kind !== 'task') throw new Error(decoded.detail);
  return decoded.envelope;
}

describe('decodeEnvelope', () => {
  it('reads a task, with the payload as text', () => {
    expect(decode()).toEqual({
      kind: 'task',
      envelope: { id: 'a', name: 'mail.send', idempotencyKey: undefined, headers: {}, options: {}, body: '{}' },
      meta: FRESH_META,
    });
  });

  it('reads the key, headers, options and meta', () => {
    const decoded = decode({
      key: 'order 7',
      head: '{"headers":{"tenant":"acme"},"options":{"attempts":3,"timeoutMs":50,"backoff":[1,2]}}',
      meta: '{"failedAttempts":2}',
    });
    expect(decoded).toMatchObject({
      envelope: {
        idempotencyKey: 'order 7',
        headers: { tenant: 'acme' },
        options: { attempts: 3, timeoutMs: 50, backoff: [1, 2] },
      },
      meta: { failedAttempts: 2 },
    });
  });

  it.each(['v', 'id', 'task', 'body'])('misses the field %s', (name) => {
    expect(decode({ [name]: undefined })).toMatchObject({ kind: 'malformed', reason: 'missing-field' });
  });

  it.each([
    [{ v: '3' }, 'unsupported-version'],
    [{ id: 'a b' }, 'missing-field'],
    [{ id: '' }, 'missing-field'],
    [{ task: 'a/b' }, 'missing-field'],
    [{ key: '\u0000' }, 'missing-field'],
    [{ head: '[1]' }, 'invalid-json'],
    [{ head: '{' }, 'invalid-json'],
    [{ head: `{"x":"${'x'.repeat(100_000)}"}` }, 'payload-too-large'],
  ])('refuses %j as %s', (changes, reason) => {
    expect(decode(changes)).toMatchObject({ kind: 'malformed', reason });
  });

  it('never throws, whatever the fields are', () => {
    for (const fields of [[], ['head'], ['head', '2', 'body'], ['__proto__', 'x'], ['head', '', 'head', '9']]) {
      expect(decodeEnvelope(fields, 2).kind).toBe('malformed');
    }
  });

  it('takes the first of two fields with one name', () => {
    const fields = ['head', '2\na\nx\n\n', 'body', '{}', 'head', '2\nb\nx\n\n'];
    expect(decodeEnvelope(fields, 2)).toMatchObject({ envelope: { id: 'a' } });
  });

  it.each([
    [{ attempts: 0 }],
    [{ attempts: 1e9 }],
    [{ attempts: '3' }],
    [{ attempts: 1.5 }],
    [{ timeoutMs: 0 }],
    [{ timeoutMs: 2 ** 40 }],
    [{ backoff: [] }],
    [{ backoff: [-1] }],
    [{ backoff: ['1'] }],
    [{ backoff: { type: 'never' } }],
    [{ unknown: 1 }],
  ])('ignores the forged option %j', (options) => {
    expect(headOf({ options }).options).toEqual({});
  });

  it('ignores forged parts of a curve', () => {
    const backoff = { type: 'fixed', delayMs: -5, factor: 1e9, maxDelayMs: 'x', jitter: 'none' };
    expect(headOf({ options: { backoff } }).options).toEqual({ backoff: { type: 'fixed', jitter: 'none' } });
  });

  it('keeps a header called __proto__ a header, drops what is no text, and stops at the limit', () => {
    const { headers } = headOf('{"headers":{"__proto__":"x","n":1,"b":"2","c":"3"}}');
    expect(Object.entries(headers)).toEqual([
      ['__proto__', 'x'],
      ['b', '2'],
    ]);
    expect(Object.getPrototypeOf(headers)).toBeNull();
  });
});

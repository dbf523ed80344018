import { describe, expect, it } from 'vitest';
import { encodeResult } from './encode-result.js';

const retention = { results: true, maxResultBytes: 10 };
const circle: Record<string, unknown> = {};
circle['self'] = circle;

describe('encodeResult', () => {
  it.each([
    [undefined, 'null'],
    [null, 'null'],
    [{ a: 1 }, '{"a":1}'],
    ['x'.repeat(8), `"${'x'.repeat(8)}"`],
  ])('keeps %j', (value, json) => {
    expect(encodeResult(value, retention)).toEqual({ kind: 'stored', json });
  });

  it.each([
    ['x'.repeat(9), 'too-large'],
    ['ééééé', 'too-large'],
    [1n, 'not-serializable'],
    [() => 1, 'not-serializable'],
    [circle, 'not-serializable'],
  ])('leaves %s out: %s', (value, reason) => {
    expect(encodeResult(value, retention)).toEqual({ kind: 'omitted', reason });
  });

  it('leaves everything out where results are off', () => {
    expect(encodeResult(1, { ...retention, results: false })).toEqual({ kind: 'omitted', reason: 'off' });
  });
});

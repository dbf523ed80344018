import { describe, expect, it } from 'vitest';
import { clean, cleanJson, cleanLines } from './clean.js';
import { paintFor } from './colour.js';
import { showAgo, showBytes, showCount, showSpan, showTime } from './format.js';
import { payloadValue, showPayload } from './secrets.js';

describe('text from Redis', () => {
  it('loses what a terminal would obey', () => {
    expect(clean('a\u001b]0;title\u0007b\u009b1mc\u202ed')).toBe('a\u{fffd}]0;title\u{fffd}b\u{fffd}1mc\u{fffd}d');
    expect(clean('a\r\nb\tc')).toBe('a b c');
    expect(cleanLines('a\r\nb\tc\u001b')).toBe('a\nb  c\u{fffd}');
  });

  it('is the same value as JSON', () => {
    const value = { text: 'a\u001b\u009b\u202e\u2028b' };
    const json = cleanJson(JSON.stringify(value));
    expect(json).toBe('{"text":"a\\u001b\\u009b\\u202e\\u2028b"}');
    expect(JSON.parse(json)).toEqual(value);
  });

  it('has its secrets replaced, at any depth, unless they are wanted', () => {
    const body = '{"n":1,"login":{"password":"x","apiToken":"y"}}';
    expect(payloadValue(body, false)).toEqual({ n: 1, login: { password: '[redacted]', apiToken: '[redacted]' } });
    expect(payloadValue(body, true)).toEqual(JSON.parse(body));
    expect(showPayload('no json', false)).toBe('no json');
    expect(showPayload(undefined, false)).toBeUndefined();
    expect(payloadValue('null', false)).toBeNull();
  });
});

describe('numbers and times', () => {
  it.each([
    [0, '0ms'],
    [999, '999ms'],
    [59_999, '59s'],
    [60_000, '1m'],
    [192_000, '3m 12s'],
    [7_260_000, '2h 1m'],
    [187_200_000, '2d 4h'],
    [-5, '0ms'],
  ])('%d ms are %s', (ms, text) => {
    expect(showSpan(ms)).toBe(text);
  });

  it('are for people', () => {
    expect(showTime(new Date('2026-11-29T10:00:00.123Z'))).toBe('2026-11-29 10:00:00Z');
    expect([showTime(undefined), showTime(Number.NaN), showAgo(undefined)]).toEqual(['-', '-', '-']);
    expect(showAgo(1_000, 4_000)).toBe('3s ago');
    expect([showCount(1, 'task'), showCount(12_345, 'task')]).toEqual(['1 task', '12,345 tasks']);
    expect([showBytes(512), showBytes(1_572_864)]).toEqual(['512 B', '1.5 MiB']);
  });
});

describe('colours', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
  ])('on a terminal (%s) with %j are on: %s', (isTTY, env, isOn) => {
    expect(paintFor({ isTTY }, env)('red', 'x')).toBe(isOn ? '\u001b[31mx\u001b[39m' : 'x');
  });
});

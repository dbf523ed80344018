import { describe, expect, it } from 'vitest';
import { decimal, parseMoment, parseSpan, parseTime, wholeNumber } from './values.js';

describe('a span', () => {
  it.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['0s', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(parseSpan(text)).toBe(ms);
  });

  it.each(['', '10', 's', '-1s', '1 week', '1e3s', '10sec'])('%j is none', (text) => {
    expect(() => parseSpan(text)).toThrow(/a number with ms, s, m, h or d/);
  });
});

describe('a moment', () => {
  it('is a time, or so long ago', () => {
    const now = Date.UTC(2026, 10, 29, 12);
    expect(parseMoment('2h', now)).toEqual(new Date('2026-11-29T10:00:00Z'));
    expect(parseMoment('2026-11-29T10:00:00Z', now)).toEqual(new Date('2026-11-29T10:00:00Z'));
    expect(parseTime('2026-11-29')).toEqual(new Date('2026-11-29T00:00:00Z'));
  });

  it.each(['yesterday', '2026-13-01', '12', '10:00'])('%j is none', (text) => {
    expect(() => parseMoment(text)).toThrow(/Give a time such as/);
  });
});

describe('a number', () => {
  it.each(['0', '6', '1.5', '-1', 'x', ''])('%j is none from 1 to 5', (text) => {
    expect(() => wholeNumber(1, 5)(text)).toThrow('a whole number from 1 to 5');
  });

  it('may have a point where it may', () => {
    expect(decimal(0.1, 5)('0.5')).toBe(0.5);
    expect(() => decimal(0.1, 5)('0.01')).toThrow('a number from 0.1 to 5');
    expect(wholeNumber(1, 5)('5')).toBe(5);
  });
});

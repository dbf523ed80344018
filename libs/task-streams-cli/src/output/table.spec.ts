import { describe, expect, it } from 'vitest';
import { tableLines } from './table.js';
import { cutText, textWidth } from './text-width.js';

const plain = (_: string, text: string): string => text;
const COLUMNS = [
  { title: 'QUEUE', least: 6 },
  { title: 'DEAD', align: 'right' },
  { title: 'WHY', least: 4 },
] as const;

describe('a table', () => {
  it('stands in columns, numbers at the right', () => {
    const rows = [
      ['mail', 7, ''],
      ['payments', 1_234, 'slow'],
    ];
    expect(tableLines(COLUMNS, rows, { width: 80, paint: plain })).toEqual([
      'QUEUE     DEAD  WHY',
      'mail         7',
      'payments  1234  slow',
    ]);
  });

  it('is cut where the terminal ends, the widest columns first, and never what must be whole', () => {
    const rows = [['a-very-long-queue-name', 123_456, 'because of this and of that']];
    const lines = tableLines(COLUMNS, rows, { width: 30, paint: plain });
    expect(lines[1]).toBe('a-very-lon…  123456  because …');
    expect(lines.every((line) => textWidth(line) <= 30)).toBe(true);
    expect(tableLines(COLUMNS, rows, { width: 5, paint: plain })[1]).toBe('a-ver…  123456  bec…');
    expect(tableLines(COLUMNS, rows, { width: Infinity, paint: plain })[1]).toContain('because of this and of that');
  });

  it('obeys nothing that comes from Redis, and is painted afterwards', () => {
    const paint = (style: string, text: string): string => `<${style}>${text}</>`;
    const [, row] = tableLines([{ title: 'A' }], [[{ text: '\u001b[2Jx\ny', style: 'red' }]], { width: 80, paint });
    expect(row).toBe('<red>\u{fffd}[2Jx y</>');
  });
});

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['注文', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['🚚', 2],
    ['#1*', 3],
  ])('of %s is %d', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('is kept when it is cut', () => {
    expect(cutText('注文を確認', 5)).toBe('注文…');
    expect(cutText('abc', 3)).toBe('abc');
    expect(cutText('abc', 0)).toBe('');
  });
});

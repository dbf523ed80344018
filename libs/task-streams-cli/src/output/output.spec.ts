import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output } from './output.js';

const widthOf = (terminal: object) => new Output(false, Object.assign(new PassThrough(), terminal)).width;

describe('the width of an answer', () => {
  it.each([
    ['of the terminal', { isTTY: true, columns: 132 }, 132],
    ['of a terminal that does not know', { isTTY: true }, 80],
    ['of a terminal that says 0', { isTTY: true, columns: 0 }, 80],
    ['where nobody looks', {}, Infinity],
  ])('is that %s', (_, terminal, width) => {
    expect(widthOf(terminal)).toBe(width);
  });
});

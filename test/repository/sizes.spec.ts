import { describe, expect, it } from 'vitest';
import { countLines, filesBelow, readText } from '../support/source-tree.js';

const limits = [
  { what: 'source', maxLines: 250, files: typescript().filter((file) => !file.endsWith('.spec.ts')) },
  { what: 'spec', maxLines: 400, files: typescript().filter((file) => file.endsWith('.spec.ts')) },
  { what: 'Lua script', maxLines: 120, files: filesBelow('libs', '.lua') },
];

describe('the sizes of files', () => {
  it.each(limits)('has no $what over $maxLines lines', ({ files, maxLines }) => {
    const sizes = files.map((file) => ({ file, lines: countLines(readText(file)) }));
    expect(sizes.filter(({ lines }) => lines > maxLines)).toEqual([]);
  });

  it('has sources to look at', () => {
    expect(typescript().length).toBeGreaterThan(0);
  });
});

function typescript(): string[] {
  return [...filesBelow('libs', '.ts'), ...filesBelow('src', '.ts')];
}

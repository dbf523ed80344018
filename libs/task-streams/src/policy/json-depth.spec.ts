import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonDeeperThan } from './json-depth.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('isJsonDeeperThan', () => {
  it('agrees with the depth of the parsed value, whatever the strings contain', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('[[[[', '}"{', '\\"[', '\\\\', '"'));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 8 },
        text,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(text, tie('tree'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.nat(8), (value, maxDepth) => {
        expect(isJsonDeeperThan(JSON.stringify(value), maxDepth)).toBe(depthOf(value) > maxDepth);
      }),
    );
  });

  it('counts a bare value as depth 0', () => {
    expect(isJsonDeeperThan('7', 0)).toBe(false);
    expect(isJsonDeeperThan('[]', 0)).toBe(true);
  });

  it('is exact for the shortest text of a depth', () => {
    const text = '['.repeat(201) + ']'.repeat(201);

    expect(isJsonDeeperThan(text, 200)).toBe(true);
    expect(isJsonDeeperThan(text, 201)).toBe(false);
  });

  it('tells a text that would exhaust the stack of a parser', () => {
    expect(isJsonDeeperThan('['.repeat(100_000) + ']'.repeat(100_000), 200)).toBe(true);
  });

  it('answers for text that is no JSON', () => {
    expect(isJsonDeeperThan('"unfinished [[[[[[', 1)).toBe(false);
    expect(isJsonDeeperThan(']]]]]]]]', 1)).toBe(false);
  });
});

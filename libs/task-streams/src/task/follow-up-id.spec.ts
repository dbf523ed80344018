import { describe, expect, it } from 'vitest';
import { followUpId } from './follow-up-id.js';
import { requireTaskId } from './names.js';

const AT = 1_796_000_000_000;

describe('followUpId', () => {
  it('is the parent, when that was enqueued, and the place', () => {
    expect(followUpId('nightly', AT, 1)).toBe(`nightly:${AT.toString(36)}:1`);
  });

  it('is another one for a parent whose id is used again, and the same for the same parent', () => {
    expect(followUpId('nightly', AT + 86_400_000, 1)).not.toBe(followUpId('nightly', AT, 1));
    expect(followUpId('nightly', AT, 1)).toBe(followUpId('nightly', AT, 1));
  });

  it.each(['p'.repeat(256), 'é🧀'.repeat(85), `${'p'.repeat(255)}:`])(
    'is an id for a parent of the longest kind',
    (id) => {
      const child = followUpId(id, AT, 12);
      expect(requireTaskId(child)).toBe(child);
      expect(followUpId(`${id.slice(0, -1)}x`, AT, 12)).not.toBe(child);
    },
  );

  it('stays an id through any number of generations', () => {
    let id = 'first';
    for (let i = 0; i < 100; i += 1) id = requireTaskId(followUpId(id, AT + i, 1));
    expect(id).toMatch(/^first:/);
  });
});

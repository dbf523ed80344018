import { describe, expect, it } from 'vitest';

import { countAtStart, crashStandingOf } from './crash-limit.js';

describe('crashStandingOf', () => {
  it.each([
    [1, 3, 'clear'],
    [2, 3, 'clear'],
    [3, 3, 'suspect'],
    [4, 3, 'last-chance'],
    [5, 3, 'given-up'],
    [60, 3, 'given-up'],
    [1, 1, 'clear'],
    [2, 1, 'given-up'],
    [3, 1, 'given-up'],
  ] as const)('of delivery %i with a limit of %i is %s', (count, limit, standing) => {
    expect(crashStandingOf(count, limit)).toBe(standing);
  });

  it('gives up a task that died alone, and gives one that died beside others a last chance', () => {
    expect(crashStandingOf(countAtStart(3, false) + 1, 3)).toBe('given-up');
    expect(crashStandingOf(countAtStart(3, true) + 1, 3)).toBe('last-chance');
  });
});

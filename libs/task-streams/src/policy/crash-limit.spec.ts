import { describe, expect, it } from 'vitest';

import { crashStandingOf, trialAtStart } from './crash-limit.js';

describe('crashStandingOf', () => {
  it.each([
    [1, undefined, 3, 'clear'],
    [2, undefined, 3, 'clear'],
    [3, undefined, 3, 'suspect'],
    [4, 'shared', 3, 'last-chance'],
    [4, 'blamed', 3, 'given-up'],
    [5, 'blamed', 3, 'given-up'],
    [1, undefined, 1, 'clear'],
    [2, undefined, 1, 'given-up'],
    [3, 'shared', 1, 'given-up'],
  ] as const)('of delivery %i after the trial %s with a limit of %i is %s', (deliveryCount, trial, limit, standing) => {
    expect(crashStandingOf({ deliveryCount, trial }, limit)).toBe(standing);
  });

  it('tries what a worker with a higher limit delivered often, before it gives it up', () => {
    expect(crashStandingOf({ deliveryCount: 60 }, 3)).toBe('suspect');
  });

  it('takes over the trial of a worker with a lower limit', () => {
    expect(crashStandingOf({ deliveryCount: 3, trial: 'shared' }, 10)).toBe('last-chance');
    expect(crashStandingOf({ deliveryCount: 3, trial: 'blamed' }, 10)).toBe('given-up');
  });
});

describe('trialAtStart', () => {
  it.each([
    ['suspect', true, 'shared'],
    ['suspect', false, 'blamed'],
    ['last-chance', true, 'blamed'],
    ['last-chance', false, 'blamed'],
  ] as const)('of %s that starts beside others (%s) is %s', (standing, isBeside, trial) => {
    expect(trialAtStart(standing, isBeside)).toBe(trial);
  });
});

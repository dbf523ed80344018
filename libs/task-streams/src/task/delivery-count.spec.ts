import { describe, expect, it } from 'vitest';

import { readDeliveryCount, storedDeliveryCount } from './delivery-count.js';

describe('the delivery count of Redis', () => {
  it.each([
    [{ deliveryCount: 1 }, 1],
    [{ deliveryCount: 999 }, 999],
    [{ deliveryCount: 3, trial: 'shared' }, 1_000_003],
    [{ deliveryCount: 4, trial: 'blamed' }, 2_000_004],
  ] as const)('%o is %i', (count, stored) => {
    expect(storedDeliveryCount(count)).toBe(stored);
    expect(readDeliveryCount(stored)).toEqual(count);
  });
});

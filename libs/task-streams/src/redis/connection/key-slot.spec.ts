import { expect, it } from 'vitest';
import { keySlot } from './key-slot.js';

it.each([
  ['123456789', 12_739],
  ['foo', 12_182],
  ['{user1000}.following', 3_443],
  ['{user1000}.followers', 3_443],
  ['foo{}{bar}', 8_363],
  ['foo{{bar}}zap', 4_015],
  ['foo{bar}{zap}', 5_061],
  ['', 0],
])('%s is in slot %i, as the specification of Redis Cluster says', (key, slot) => {
  expect(keySlot(key)).toBe(slot);
});

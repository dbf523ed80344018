import { expect, it } from 'vitest';
import { adviseOnOptions } from './advise-on-options.js';
import { resolveOptions } from './resolve-options.js';
import type { TaskStreamsOptions } from './task-streams-options.js';

it('has nothing to say about the defaults', () => {
  expect(adviseOnOptions(resolveOptions())).toEqual([]);
});

it.each<[TaskStreamsOptions, RegExp]>([
  [{ leaseMs: 500, timing: { sweepMs: 100 } }, /leaseMs is 500: .* twice/],
  [{ leaseMs: 4_000, timing: { sweepMs: 5_000 } }, /timing\.sweepMs is 5000/],
  [{ timing: { deferralLimitMs: 29_999 } }, /timing\.deferralLimitMs is 29999/],
  [{ retention: { idempotencyKeysMs: 1_000 } }, /idempotencyKeysMs is 1000/],
])('tells of %j', (options, advice) => {
  expect(adviseOnOptions(resolveOptions(options))).toEqual([expect.stringMatching(advice)]);
  expect(adviseOnOptions(resolveOptions({ ...options, mode: 'producer' }))).toEqual([]);
});

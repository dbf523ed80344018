import { describe, expect, it } from 'vitest';
import { isTooLate, startLimits } from './expiry.js';

describe('until when attempts may begin', () => {
  it.each([
    { what: 'nothing said', expiry: {}, first: Infinity, every: Infinity },
    { what: 'a time to live', expiry: { ttlMs: 5 }, first: 105, every: Infinity },
    { what: 'a deadline in milliseconds', expiry: { deadlineMs: 7 }, first: 107, every: 107 },
    { what: 'a deadline as a time', expiry: { deadline: 90 }, first: 90, every: 90 },
    { what: 'both', expiry: { ttlMs: 5, deadlineMs: 7 }, first: 105, every: 107 },
    { what: 'a time to live past the deadline', expiry: { ttlMs: 9, deadline: 107 }, first: 107, every: 107 },
    { what: 'a delay', expiry: { ttlMs: 5, deadlineMs: 7, delayMs: 20 }, first: 125, every: 127 },
    { what: 'a time to run', expiry: { ttlMs: 5, deadlineMs: 7, runAt: 200 }, first: 205, every: 207 },
    { what: 'a time to run that had passed', expiry: { ttlMs: 5, runAt: 50 }, first: 105, every: Infinity },
  ])('follows from when the task was enqueued: $what', ({ expiry, first, every }) => {
    expect(startLimits(expiry, 100)).toEqual({ first, every });
  });

  it('is the time to live for the first attempt and the deadline for every one', () => {
    const limits = { first: 10, every: 20 };
    expect([9, 10].map((at) => isTooLate(limits, at, 0))).toEqual([false, true]);
    expect([10, 19, 20].map((at) => isTooLate(limits, at, 1))).toEqual([false, false, true]);
  });
});

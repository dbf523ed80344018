import { describe, expect, it } from 'vitest';
import { replyError } from './redis-error.js';
import { conditionOf, errorPauseMs, worstOf } from './redis-reactions.js';

const LOADING = replyError('LOADING');
const NOAUTH = replyError('NOAUTH Authentication required.');

describe('errorPauseMs', () => {
  it('doubles from 50 ms to 5 s', () => {
    const pauses = [1, 2, 3, 7, 8, 1_000].map((failures) => errorPauseMs(failures, LOADING, () => 1));
    expect(pauses).toEqual([50, 100, 200, 3_200, 5_000, 5_000]);
  });

  it('spreads its upper half', () => {
    expect([0, 0.5, 1].map((chance) => errorPauseMs(2, LOADING, () => chance))).toEqual([50, 75, 100]);
  });

  it('never asks more than once in 5 s for what only somebody outside can change', () => {
    expect([1, 2, 1_000].map((failures) => errorPauseMs(failures, NOAUTH, () => 0))).toEqual([5_000, 5_000, 5_000]);
  });
});

describe('conditionOf', () => {
  it.each([
    [LOADING, 9_999, 'up'],
    [LOADING, 10_000, 'degraded'],
    [LOADING, 60_000, 'down'],
    [replyError('READONLY'), 0, 'degraded'],
    [replyError('MOVED 1 a:1'), 1_000, 'up'],
    [replyError('NOREPLICAS'), 1e9, 'degraded'],
    [NOAUTH, 0, 'down'],
    [replyError('WRONGTYPE'), 0, 'down'],
    [new Error('connect ECONNREFUSED'), 0, 'down'],
  ] as const)('%s for %i ms is %s', (error, sinceMs, expected) => {
    expect(conditionOf(error, sinceMs)).toBe(expected);
  });
});

it('takes the worst of several', () => {
  expect([worstOf([]), worstOf(['up', 'degraded']), worstOf(['degraded', 'down', 'up'])]).toEqual([
    'up',
    'degraded',
    'down',
  ]);
});

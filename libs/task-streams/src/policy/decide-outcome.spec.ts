import { describe, expect, it } from 'vitest';
import type { ErrorClass } from '../task/error-class.js';
import { FRESH_META, type TaskMeta } from '../task/task-meta.js';
import { decideOutcome, type Failure } from './decide-outcome.js';

const NOW = 1_700_000_000_000;

function failure(overrides: Partial<Failure> = {}): Failure {
  return {
    taskName: 'pay',
    error: new TypeError('boom'),
    errorClass: { kind: 'retryable' },
    meta: FRESH_META,
    deliveryCount: 1,
    policy: { attempts: 3, backoff: [100, 200], nonRetryable: [], retryIf: undefined, isFailure: undefined },
    deferralLimitMs: 1_000,
    worker: 'w1',
    startedAt: NOW - 7.4,
    endedAt: NOW,
    random: () => 0.5,
    ...overrides,
  };
}

function meta(overrides: Partial<TaskMeta>): TaskMeta {
  return { ...FRESH_META, ...overrides };
}

describe('an error that is worth another attempt', () => {
  it('retries after the wait of the policy and counts the attempt', () => {
    const outcome = decideOutcome(failure());

    expect(outcome).toMatchObject({
      kind: 'retry',
      delayMs: 100,
      error: { name: 'TypeError', message: 'boom' },
      meta: {
        failedAttempts: 1,
        firstFailedAt: NOW,
        history: [{ attempt: 1, at: NOW, durationMs: 7, worker: 'w1', error: { name: 'TypeError' } }],
      },
    });
  });

  it('waits longer the second time and keeps when it first failed', () => {
    const outcome = decideOutcome(failure({ meta: meta({ failedAttempts: 1, firstFailedAt: 5 }) }));

    expect(outcome).toMatchObject({ kind: 'retry', delayMs: 200, meta: { failedAttempts: 2, firstFailedAt: 5 } });
  });

  it('ends a time of deferrals', () => {
    expect(decideOutcome(failure({ meta: meta({ deferredSince: 5 }) }))).toMatchObject({
      kind: 'retry',
      meta: { deferredSince: undefined },
    });
  });

  it('is given up at the last attempt', () => {
    const outcome = decideOutcome(
      failure({ meta: meta({ failedAttempts: 2, firstFailedAt: 5, redriveCount: 1 }), deliveryCount: 4 }),
    );

    expect(outcome).toMatchObject({
      kind: 'dead-letter',
      keep: true,
      info: {
        reason: 'attempts-exhausted',
        failedAttempts: 3,
        deliveryCount: 4,
        firstFailedAt: 5,
        at: NOW,
        worker: 'w1',
        redriveCount: 1,
        error: { name: 'TypeError' },
        history: [{ attempt: 3 }],
      },
    });
  });

  it('is given up at once with one attempt, and with a forged count of attempts', () => {
    const once = failure({ policy: { ...failure().policy, attempts: 1 } });

    expect(decideOutcome(once)).toMatchObject({ kind: 'dead-letter', info: { failedAttempts: 1 } });
    expect(decideOutcome(failure({ meta: meta({ failedAttempts: 1_000_000 }) }))).toMatchObject({
      kind: 'dead-letter',
    });
  });

  it('is given up at once where the policy says so', () => {
    const policy = { ...failure().policy, nonRetryable: [TypeError] };

    expect(decideOutcome(failure({ policy }))).toMatchObject({
      kind: 'dead-letter',
      info: { reason: 'non-retryable', failedAttempts: 1 },
    });
  });

  it('is the same outcome for the same failure', () => {
    const same = failure();

    expect(decideOutcome(same)).toEqual(decideOutcome(same));
  });
});

describe('a timeout', () => {
  const errorClass: ErrorClass = { kind: 'timeout' };

  it('retries like an error', () => {
    expect(decideOutcome(failure({ errorClass }))).toMatchObject({ kind: 'retry', delayMs: 100 });
  });

  it('is given up as a timeout at the last attempt', () => {
    const outcome = decideOutcome(failure({ errorClass, meta: meta({ failedAttempts: 2 }) }));

    expect(outcome).toMatchObject({ kind: 'dead-letter', info: { reason: 'timeout' } });
  });
});

describe('a final error', () => {
  it.each(['non-retryable', 'validation', 'denied', 'idempotency-conflict', 'requested'] as const)(
    'is given up as %s',
    (reason) => {
      expect(decideOutcome(failure({ errorClass: { kind: 'final', reason } }))).toMatchObject({
        kind: 'dead-letter',
        info: { reason, failedAttempts: 1 },
      });
    },
  );

  it('keeps the details once', () => {
    const details = { fields: ['amount'] };
    const outcome = decideOutcome(failure({ errorClass: { kind: 'final', reason: 'validation', details } }));

    expect(outcome).toMatchObject({ info: { error: { name: 'TypeError', details } } });
    expect(outcome.kind === 'dead-letter' && outcome.info.history[0]?.error).not.toHaveProperty('details');
  });
});

describe('a deferral', () => {
  const errorClass: ErrorClass = { kind: 'defer', delayMs: 300 };

  it('waits without counting an attempt and notes since when', () => {
    expect(decideOutcome(failure({ errorClass }))).toEqual({
      kind: 'defer',
      delayMs: 300,
      meta: { ...FRESH_META, deferredSince: NOW },
      why: 'boom',
    });
  });

  it('keeps since when', () => {
    const outcome = decideOutcome(failure({ errorClass, meta: meta({ deferredSince: NOW - 500, failedAttempts: 2 }) }));

    expect(outcome).toMatchObject({
      kind: 'defer',
      delayMs: 300,
      meta: { deferredSince: NOW - 500, failedAttempts: 2 },
    });
  });

  it('offers the task for the last time at the limit', () => {
    expect(decideOutcome(failure({ errorClass, meta: meta({ deferredSince: NOW - 900 }) }))).toMatchObject({
      kind: 'defer',
      delayMs: 100,
    });
  });

  it('is given up after the limit', () => {
    expect(decideOutcome(failure({ errorClass, meta: meta({ deferredSince: NOW - 1_000 }) }))).toMatchObject({
      kind: 'dead-letter',
      info: { reason: 'in-progress-timeout' },
    });
  });
});

describe('a kind of failure this build does not know', () => {
  it('is a programmer error', () => {
    expect(() => decideOutcome(failure({ errorClass: { kind: 'new' } as unknown as ErrorClass }))).toThrow(TypeError);
  });
});

describe('an error that cannot be looked at', () => {
  it('still has an outcome', () => {
    const error = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    );

    expect(decideOutcome(failure({ error }))).toMatchObject({ kind: 'retry', error: { name: 'NonError' } });
  });

  it('never has a negative duration', () => {
    expect(decideOutcome(failure({ startedAt: NOW + 50 }))).toMatchObject({ meta: { history: [{ durationMs: 0 }] } });
  });
});

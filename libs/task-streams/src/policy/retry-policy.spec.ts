import { describe, expect, it } from 'vitest';
import { isWorthRetrying, type RetryPolicy } from './retry-policy.js';

class DeclinedError extends Error {}
class CardDeclinedError extends DeclinedError {}
const policy: RetryPolicy = { attempts: 5, backoff: [0], nonRetryable: [], retryIf: undefined, isFailure: undefined };

describe('isWorthRetrying', () => {
  it.each([new Error('x'), 'text', undefined, null, {}])('retries everything by default: %o', (error) => {
    expect(isWorthRetrying(policy, error)).toBe(true);
  });

  it('does not retry an error of a listed class or of one below it', () => {
    const listed = { ...policy, nonRetryable: [DeclinedError] };

    expect(isWorthRetrying(listed, new DeclinedError())).toBe(false);
    expect(isWorthRetrying(listed, new CardDeclinedError())).toBe(false);
    expect(isWorthRetrying(listed, new TypeError())).toBe(true);
  });

  it('does not retry an error of a listed name, by its name or its class', () => {
    const renamed = Object.assign(new Error(), { name: 'QuotaError' });
    const listed = { ...policy, nonRetryable: ['QuotaError', 'CardDeclinedError'] };

    expect(isWorthRetrying(listed, renamed)).toBe(false);
    expect(isWorthRetrying(listed, new CardDeclinedError())).toBe(false);
    expect(isWorthRetrying(listed, { name: 'QuotaError' })).toBe(true);
  });

  it('asks retryIf, but not about a listed error', () => {
    const asked: unknown[] = [];
    const choosy: RetryPolicy = {
      ...policy,
      nonRetryable: [DeclinedError],
      retryIf: (error) => {
        asked.push(error);
        return error === 'again';
      },
    };

    expect(isWorthRetrying(choosy, 'again')).toBe(true);
    expect(isWorthRetrying(choosy, 'enough')).toBe(false);
    expect(isWorthRetrying(choosy, new DeclinedError())).toBe(false);
    expect(asked).toEqual(['again', 'enough']);
  });
});

import type { ArgumentsHost, CallHandler, ExecutionContext } from '@nestjs/common';
import { firstValueFrom, isObservable, lastValueFrom, of, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { BOUND_FILTER, BOUND_PIECES } from './bound-pieces.js';
import { DeadLetterFilter } from './dead-letter.filter.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { RetryInterceptor } from './retry.interceptor.js';

const store = {
  settlesWithTask: false,
  claim: () => Promise.reject(new Error('must not be asked')),
  commit: () => Promise.reject(new Error('must not be asked')),
  release: () => Promise.reject(new Error('must not be asked')),
};

const http = { getType: () => 'http', switchToRpc: () => ({ getContext: () => undefined }) };
const otherTransport = { getType: () => 'rpc', switchToRpc: () => ({ getContext: () => ({ topic: 'orders' }) }) };
const next: CallHandler = { handle: () => of('answer') };

describe.each([
  ['HTTP', http],
  ['another transport', otherTransport],
])('the pieces on %s', (_name, host) => {
  it.each([new IdempotencyInterceptor(store), new RetryInterceptor(), BOUND_PIECES])(
    'let a call through: %s',
    async (interceptor) => {
      const answer = interceptor.intercept(host as unknown as ExecutionContext, next) as Observable<unknown>;
      expect(await lastValueFrom(answer)).toBe('answer');
    },
  );

  const sink = { replacesStream: true, take: () => Promise.reject(new Error('must not be asked')) };
  it.each([new DeadLetterFilter(sink), BOUND_FILTER])('pass an error on, never undefined: %o', async (filter) => {
    const error = new Error('boom');
    // oxlint-disable-next-line promise/valid-params -- a filter of Nest and no promise
    const answer: unknown = filter.catch(error, host as unknown as ArgumentsHost);
    expect(isObservable(answer)).toBe(true);
    await expect(firstValueFrom(answer as Observable<unknown>)).rejects.toBe(error);
  });
});

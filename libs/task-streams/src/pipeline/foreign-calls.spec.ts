import type { ArgumentsHost, CallHandler, ExecutionContext } from '@nestjs/common';
import { firstValueFrom, isObservable, lastValueFrom, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { CompletionInterceptor } from './completion.interceptor.js';
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
  it.each([new IdempotencyInterceptor(store), new RetryInterceptor(), new CompletionInterceptor()])(
    'let a call through: %s',
    async (interceptor) => {
      expect(await lastValueFrom(interceptor.intercept(host as unknown as ExecutionContext, next))).toBe('answer');
    },
  );

  it('pass an error on, never undefined', async () => {
    const filter = new DeadLetterFilter({
      replacesStream: true,
      take: () => Promise.reject(new Error('must not be asked')),
    });
    const error = new Error('boom');
    const answer = filter.catch(error, host as unknown as ArgumentsHost);
    expect(isObservable(answer)).toBe(true);
    await expect(firstValueFrom(answer)).rejects.toBe(error);
  });
});

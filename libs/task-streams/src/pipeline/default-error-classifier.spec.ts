import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  UnauthorizedException,
  UnprocessableEntityException,
} from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { describe, expect, it } from 'vitest';
import { DeadLetterError, RetryLaterError, UnrecoverableError } from '../task/handler-errors.js';
import { IdempotencyBusyError, IdempotencyConflictError } from '../task/idempotency-errors.js';
import { TaskTimeoutError } from '../task/worker-errors.js';
import { DefaultErrorClassifier } from './default-error-classifier.js';

const classifier = new DefaultErrorClassifier();
const nested = [
  { property: 'a', constraints: {}, children: [{ property: 'b', constraints: { isInt: 'b must be an integer' } }] },
];

describe('DefaultErrorClassifier', () => {
  it.each([
    [new Error('boom'), { kind: 'retryable' }],
    ['a string', { kind: 'retryable' }],
    [undefined, { kind: 'retryable' }],
    [null, { kind: 'retryable' }],
    [[], { kind: 'retryable' }],
    [new ConflictException(), { kind: 'retryable' }],
    [new RpcException('Forbidden resource'), { kind: 'retryable' }],
    [new RetryLaterError({ delayMs: 5 }), { kind: 'defer', delayMs: 5 }],
    [new IdempotencyBusyError('t', 'k', 7), { kind: 'defer', delayMs: 7 }],
    [new TaskTimeoutError('t', 5), { kind: 'timeout' }],
    [new UnrecoverableError('no'), { kind: 'final', reason: 'non-retryable' }],
    [new DeadLetterError('look', { who: 'me' }), { kind: 'final', reason: 'requested', details: { who: 'me' } }],
    [new IdempotencyConflictError('t', 'k'), { kind: 'final', reason: 'idempotency-conflict' }],
    [new BadRequestException(['a is wrong']), { kind: 'final', reason: 'validation', details: ['a is wrong'] }],
    [new BadRequestException('wrong'), { kind: 'final', reason: 'validation' }],
    [new UnprocessableEntityException(['x']), { kind: 'final', reason: 'validation', details: ['x'] }],
    [nested, { kind: 'final', reason: 'validation', details: ['a.b must be an integer'] }],
    [new ForbiddenException(), { kind: 'final', reason: 'denied' }],
    [new UnauthorizedException(), { kind: 'final', reason: 'denied' }],
  ])('takes %s for %j', (error, expected) => {
    expect(classifier.classify(error, { taskName: 't', handlerReached: true })).toEqual(expected);
  });

  it.each([[new RpcException('Forbidden resource')], [{ status: 'error', message: 'Forbidden resource' }]])(
    'takes %j for a denial while guards run',
    (error) => {
      const origin = { taskName: 't', handlerReached: false };
      expect(classifier.classify(error, origin)).toEqual({ kind: 'final', reason: 'denied' });
    },
  );
});

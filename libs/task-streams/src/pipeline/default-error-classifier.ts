import { HttpException } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import type { ErrorClassifier } from '../contracts/error-classifier.interface.js';
import type { ErrorClass, ErrorOrigin } from '../task/error-class.js';
import { DeadLetterError, RetryLaterError, UnrecoverableError } from '../task/handler-errors.js';
import { DuplicateTaskError, IdempotencyConflictError } from '../task/idempotency-errors.js';
import { TaskTimeoutError } from '../task/worker-errors.js';
import { flattenValidationErrors, isValidationErrorList } from '../validation/validation-errors.js';

/** What Nest says when `canActivate` answers false. */
const GUARD_DENIAL = 'Forbidden resource';

const RETRYABLE: ErrorClass = Object.freeze({ kind: 'retryable' });
const TIMEOUT: ErrorClass = Object.freeze({ kind: 'timeout' });
const DENIED: ErrorClass = Object.freeze({ kind: 'final', reason: 'denied' });

/**
 * Says what kind of failure an error is, where no {@link ErrorClassifier} of yours is bound: the errors of this library
 * mean what they say, a validation error (400, 422) and a denial (401, 403) are final, and everything else is worth
 * another attempt.
 *
 * @publicApi
 */
export class DefaultErrorClassifier implements ErrorClassifier {
  classify(error: unknown, origin: ErrorOrigin): ErrorClass {
    if (error instanceof RetryLaterError) return { kind: 'defer', delayMs: error.delayMs };
    if (error instanceof TaskTimeoutError) return TIMEOUT;
    if (error instanceof DeadLetterError) return final('requested', error.meta);
    if (error instanceof IdempotencyConflictError) return final('idempotency-conflict');
    if (error instanceof DuplicateTaskError) return final('duplicate');
    if (error instanceof UnrecoverableError) return final('non-retryable');
    if (error instanceof HttpException) return classifyHttp(error);
    if (isValidationErrorList(error)) return final('validation', flattenValidationErrors(error));
    return !origin.handlerReached && isGuardDenial(error) ? DENIED : RETRYABLE;
  }
}

function classifyHttp(error: HttpException): ErrorClass {
  switch (error.getStatus()) {
    case 400:
    case 422:
      return final('validation', fieldErrors(error.getResponse()));
    case 401:
    case 403:
      return DENIED;
    default:
      return RETRYABLE;
  }
}

/** Nest's ValidationPipe puts the field errors into `message` as a list. */
function fieldErrors(response: string | object): unknown {
  const message = typeof response === 'object' ? (response as { message?: unknown }).message : undefined;
  return Array.isArray(message) ? message : undefined;
}

/**
 * A guard that was written for messages may throw what Nest throws for them: an RpcException, or what is left of it, an
 * object with its message.
 */
function isGuardDenial(error: unknown): boolean {
  const message =
    error instanceof RpcException
      ? error.getError()
      : ((error as { message?: unknown } | null | undefined)?.message ?? error);
  return message === GUARD_DENIAL;
}

function final(reason: Extract<ErrorClass, { kind: 'final' }>['reason'], details?: unknown): ErrorClass {
  return details === undefined ? { kind: 'final', reason } : { kind: 'final', reason, details };
}

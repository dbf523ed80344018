import type { ExceptionFilter, NestInterceptor, Provider } from '@nestjs/common';
import { DeadLetterFilter } from '../pipeline/dead-letter.filter.js';
import { IdempotencyInterceptor } from '../pipeline/idempotency.interceptor.js';
import { RetryInterceptor } from '../pipeline/retry.interceptor.js';
import { TaskPieces } from '../pipeline/task-pieces.js';

/** What stands around handlers. A test may override each by its class. */
export const PIECES: readonly Provider[] = [
  IdempotencyInterceptor,
  RetryInterceptor,
  DeadLetterFilter,
  {
    provide: TaskPieces,
    inject: [IdempotencyInterceptor, RetryInterceptor, DeadLetterFilter],
    useFactory: (idempotency: NestInterceptor, retry: NestInterceptor, deadLetter: ExceptionFilter) =>
      new TaskPieces(idempotency, retry, deadLetter),
  },
];

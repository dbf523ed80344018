import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { runPiece } from './run-piece.js';
import { runWithRetries } from './run-with-retries.js';

const PIECE = { kind: 'retry', className: 'RetryInterceptor' } as const;

/**
 * Decides what a failed attempt comes to, by the retry options of the task, and runs it again at once where
 * `immediateRetries` allows it. `@TaskHandler` binds it; `retry: false` does not.
 *
 * @publicApi
 */
@Injectable()
export class RetryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return runPiece(PIECE, context, next, runWithRetries);
  }
}

import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { runPiece } from './run-piece.js';
import { runToCompletion } from './run-pieces.js';

const PIECE = { kind: 'completion', className: 'CompletionInterceptor' } as const;

/**
 * Sees the handler return, for handlers that have idempotency and retries switched off.
 *
 * @internal
 */
@Injectable()
export class CompletionInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return runPiece(PIECE, context, next, runToCompletion);
  }
}

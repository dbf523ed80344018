import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { recordFailure } from './record-failure.js';
import { runPiece } from './run-piece.js';

const PIECE = { kind: 'completion', className: 'CompletionInterceptor' } as const;

/**
 * Sees the handler return, for handlers that have idempotency and retries switched off.
 *
 * @internal
 */
@Injectable()
export class CompletionInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return runPiece(PIECE, context, next, async (run, proceed) => {
      try {
        const value = await proceed();
        run.prove({ kind: 'returned' });
        return value;
      } catch (error) {
        // On a controller Nest would replace it by "Internal server error" on its way out.
        recordFailure(run, error);
        throw error;
      }
    });
  }
}

import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { IdempotencyStore } from '../contracts/idempotency-store.interface.js';
import { IDEMPOTENCY_STORE } from '../contracts/tokens.js';
import { runOnce } from './run-once.js';
import { runPiece } from './run-piece.js';

const PIECE = { kind: 'idempotency', className: 'IdempotencyInterceptor' } as const;

/**
 * Runs a task once for each idempotency key: a key that is done gives the earlier result back, a key that is busy puts
 * the task off (both can be changed: `onDuplicate`, `onInProgress`), another payload under a known key is a dead letter. `@TaskHandler` binds it; `idempotency: false` does
 * not. Where the keys are kept is up to the {@link IdempotencyStore}.
 *
 * @publicApi
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(@Inject(IDEMPOTENCY_STORE) private readonly store: IdempotencyStore) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return runPiece(PIECE, context, next, (run, proceed) => runOnce(run, this.store, proceed));
  }
}

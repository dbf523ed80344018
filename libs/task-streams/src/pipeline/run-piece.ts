import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { warnOutsideTask } from './foreign-transport.js';
import { findRun } from './run-context.js';
import type { Piece, TaskRun } from './task-run.js';

/** What a piece does around the part of the pipeline that is further in. */
export type PieceBody = (run: TaskRun, next: () => Promise<unknown>) => Promise<unknown>;

/**
 * An interceptor around a plain async function: lets calls that are no tasks through, runs one piece once however often
 * it is bound, and turns observables into promises and back.
 */
export function runPiece(
  piece: { readonly kind: Piece; readonly className: string },
  context: ExecutionContext,
  handler: CallHandler,
  body: PieceBody,
): Observable<unknown> {
  const run = findRun(context);
  if (run === undefined) {
    warnOutsideTask(piece.className);
    return handler.handle();
  }
  return defer(async () => {
    run.handlerReached = true;
    const next = async (): Promise<unknown> => {
      // A guard or a store may have taken longer than the task was ours: nothing must be started then.
      if (run.abortReason) throw run.abortReason;
      return lastValueFrom(handler.handle(), { defaultValue: undefined });
    };
    if (!run.enter(piece.kind)) return next();
    try {
      return await body(run, next);
    } finally {
      run.leave(piece.kind);
    }
  });
}

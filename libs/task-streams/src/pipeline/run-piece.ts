import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { warnOutsideTask } from './foreign-transport.js';
import { recordFailure } from './record-failure.js';
import { findRun } from './run-context.js';
import type { Piece, TaskRun } from './task-run.js';

/** The part of the pipeline that is further in. */
export type Next = () => Promise<unknown>;

/** What a piece does around it. */
export type PieceBody = (run: TaskRun, next: Next) => Promise<unknown>;

/**
 * Runs what a piece does, the same way whether Nest has called it as an interceptor or not. An error that comes out of it is
 * decided about here, while it is what was thrown: further out somebody may translate it, and on a controller Nest
 * replaces it by "Internal server error".
 */
export async function runBody(run: TaskRun, body: PieceBody, next: Next): Promise<unknown> {
  try {
    return await body(run, next);
  } catch (error) {
    recordFailure(run, error);
    throw error;
  }
}

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
      return await runBody(run, body, next);
    } finally {
      run.leave(piece.kind);
    }
  });
}

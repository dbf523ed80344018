import {
  Catch,
  type ArgumentsHost,
  type CallHandler,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';
import { warnOutsideTask } from './foreign-transport.js';
import { findRun } from './run-context.js';

/**
 * What `@TaskHandler` binds: it finds the pieces through the task that runs. An object and not a class, because Nest makes a
 * bound class in the module of the handler, so that a test of the handler alone would need all of this library.
 */
class BoundPieces implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const run = findRun(context);
    if (run !== undefined) return run.services.pieces.around(run, context, next);
    warnOutsideTask('@TaskHandler');
    return next.handle();
  }
}

/** The same for the filter. */
@Catch()
class BoundFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): unknown {
    const run = findRun(host);
    if (run !== undefined) return run.services.pieces.filter(error, host);
    warnOutsideTask('@TaskHandler');
    // Never undefined: Nest would take it for "handled" and leave an HTTP request hanging.
    return throwError(() => error);
  }
}

export const BOUND_PIECES: NestInterceptor = new BoundPieces();
export const BOUND_FILTER: ExceptionFilter = new BoundFilter();

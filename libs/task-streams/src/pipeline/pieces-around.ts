import type { ArgumentsHost, CallHandler, ExecutionContext } from '@nestjs/common';
import type { Observable } from 'rxjs';

/** The pieces around a handler, as the container of the application has them. */
export interface PiecesAround<Run> {
  around(run: Run, context: ExecutionContext, next: CallHandler): Observable<unknown>;
  /** What the filter makes of an error. */
  filter(error: unknown, host: ArgumentsHost): unknown;
}

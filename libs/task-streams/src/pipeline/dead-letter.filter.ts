import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { defer, throwError, type Observable } from 'rxjs';
import type { DeadLetterSink } from '../contracts/dead-letter-sink.interface.js';
import { DEAD_LETTER_SINK } from '../contracts/tokens.js';
import { concludeInFilter } from './conclude.js';
import { warnOutsideTask } from './foreign-transport.js';
import { offerDeadLetter } from './offer-dead-letter.js';
import { findRun } from './run-context.js';

/**
 * Takes every error that comes out of a task, decides what it comes to where nobody has yet (a guard's denial meets no
 * interceptor), and offers a dead letter to the {@link DeadLetterSink} when the task is given up. The worker carries the
 * decision out. `@TaskHandler` binds it; `deadLetter: false` does not.
 *
 * @publicApi
 */
@Catch()
export class DeadLetterFilter implements ExceptionFilter {
  constructor(@Inject(DEAD_LETTER_SINK) private readonly sink: DeadLetterSink) {}

  catch(error: unknown, host: ArgumentsHost): Observable<undefined> {
    const run = findRun(host);
    if (run === undefined) {
      warnOutsideTask('DeadLetterFilter');
      // Never undefined: Nest would take it for "handled" and leave an HTTP request hanging.
      return throwError(() => error);
    }
    return defer(async () => {
      const failure = concludeInFilter(run, error);
      if (failure !== undefined) await offerDeadLetter(run, failure, this.sink);
      return undefined;
    });
  }
}

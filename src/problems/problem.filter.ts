import { type ArgumentsHost, Catch, HttpException, Logger } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import type { Response } from 'express';
import { TaskStreamsError } from 'nestjs-task-streams';
import { STATUS_CODES } from 'node:http';
import { StoreUnavailableError } from '../store/store-unavailable.error.js';
import { ProblemException, type Problem } from './problem.js';
import { taskProblem } from './task-problem.js';

/** Answers every error of an HTTP request with a {@link Problem}. */
@Catch()
export class ProblemFilter extends BaseExceptionFilter {
  readonly #logger = new Logger('Problems');

  override catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    // The answer has begun, as in a download that breaks off: there is no second status to send.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const problem = this.#toProblem(error);
    const status = problem.getStatus();
    this.#note(status, problem);
    const { code, errors, retryAfterSeconds } = problem.more;
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
    const body: Problem = {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: problem.detail,
      ...(code === undefined ? {} : { code }),
      ...(errors === undefined ? {} : { errors }),
    };
    response.status(status).type('application/problem+json').send(JSON.stringify(body));
  }

  /** What the caller can mend is not worth a line; what Redis does is worth one; a mistake of ours needs its stack. */
  #note(status: number, { detail, cause }: ProblemException): void {
    const reason = cause instanceof Error ? (cause.cause ?? cause) : cause;
    if (status === 503) this.#logger.warn(`${detail} (${String(reason)})`);
    else if (status >= 500) this.#logger.error(detail, cause instanceof Error ? cause.stack : String(cause));
  }

  #toProblem(error: unknown): ProblemException {
    if (error instanceof ProblemException) return error;
    if (error instanceof TaskStreamsError) return taskProblem(error);
    if (error instanceof StoreUnavailableError) {
      return new ProblemException(503, error.message, { code: error.code, retryAfterSeconds: 5, cause: error });
    }
    if (error instanceof HttpException) return new ProblemException(error.getStatus(), error.message, { cause: error });
    // Thrown by the body parser: a body that is too large, or in an unknown character set.
    if (this.isHttpError(error)) return new ProblemException(error.statusCode, error.message, { cause: error });
    return new ProblemException(500, 'The shop made a mistake; its log says which.', { cause: error });
  }
}

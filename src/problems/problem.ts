import { HttpException } from '@nestjs/common';

/** The body of every refusal: what happened, with which value, and what to do (RFC 9457). */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Stable, for programs: the code of the error behind it. */
  readonly code?: string;
  /** One line for each field that is wrong. */
  readonly errors?: readonly string[];
}

export interface ProblemOptions {
  readonly code?: string;
  readonly errors?: readonly string[];
  /** Sent as `Retry-After`: when it is worth asking again. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** Thrown where a request is refused; {@link ProblemFilter} sends it. */
export class ProblemException extends HttpException {
  constructor(
    status: number,
    readonly detail: string,
    readonly more: ProblemOptions = {},
  ) {
    super(detail, status, { cause: more.cause });
  }
}

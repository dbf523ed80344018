import type { ArgumentsHost, CallHandler, ExceptionFilter, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { from, isObservable, mergeAll, tap, type Observable } from 'rxjs';
import { DeadLetterFilter } from './dead-letter.filter.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import type { PiecesAround } from './pieces-around.js';
import { RetryInterceptor } from './retry.interceptor.js';
import { runPiece } from './run-piece.js';
import { runToCompletion } from './run-with-retries.js';
import type { TaskRun } from './task-run.js';

const COMPLETION = { kind: 'completion', className: '@TaskHandler' } as const;

/** The pieces as the container of an application has them: it may have replaced them, most of all in a test. */
export class TaskPieces implements PiecesAround<TaskRun> {
  /** Whether one of them is not ours any more. */
  readonly areReplaced: boolean;

  constructor(
    private readonly idempotency: NestInterceptor,
    private readonly retry: NestInterceptor,
    private readonly deadLetter: ExceptionFilter,
  ) {
    this.areReplaced =
      !isOf(idempotency, IdempotencyInterceptor) ||
      !isOf(retry, RetryInterceptor) ||
      !isOf(deadLetter, DeadLetterFilter);
  }

  /**
   * What is further in, inside the pieces that the handler asks for, in the one order that works: idempotency around retry,
   * so that a claim is kept over the attempts.
   */
  around(run: TaskRun, context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { idempotency, retry } = run.input.policy.pieces;
    const handler = withPayload(run, context, this.areReplaced ? proving(run, next) : next);
    const attempt = retry ? within(this.retry, context, handler) : toCompletion(context, handler);
    return (idempotency ? within(this.idempotency, context, attempt) : attempt).handle();
  }

  filter(error: unknown, host: ArgumentsHost): unknown {
    // oxlint-disable-next-line promise/valid-params -- a filter of Nest and no promise
    return this.deadLetter.catch(error, host);
  }
}

/** Of the class itself: one that extends it may do something else. */
function isOf(piece: object, pieceClass: abstract new (...args: never[]) => object): boolean {
  return Object.getPrototypeOf(piece) === pieceClass.prototype;
}

/** What is further in is given the payload of this run, and not what another run has left of it. */
function withPayload(run: TaskRun, context: ExecutionContext, next: CallHandler): CallHandler {
  return {
    handle: () => {
      context.getArgs<unknown[]>()[0] = run.payload;
      return next.handle();
    },
  };
}

/** Sees the handler return: what stands in the place of a piece of ours does not know that somebody has to. */
function proving(run: TaskRun, next: CallHandler): CallHandler {
  return { handle: () => next.handle().pipe(tap({ complete: () => run.prove({ kind: 'returned' }) })) };
}

/** What stands in the place of the RetryInterceptor where retries are off: somebody has to see the handler return. */
function toCompletion(context: ExecutionContext, next: CallHandler): CallHandler {
  return { handle: () => runPiece(COMPLETION, context, next, runToCompletion) };
}

function within(piece: NestInterceptor, context: ExecutionContext, next: CallHandler): CallHandler {
  return {
    handle: () => {
      const answer = piece.intercept(context, next);
      return isObservable(answer) ? answer : from(answer).pipe(mergeAll());
    },
  };
}

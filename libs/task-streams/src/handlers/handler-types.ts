import type { Observable } from 'rxjs';
import type { TaskContext } from '../pipeline/task-context.js';

type AnyMethod = (...args: never[]) => unknown;

/** What a parameter can be besides the payload: the context, its signal, or what a parameter decorator reads. */
type FromElsewhere<T, P> = [TaskContext] extends [T]
  ? true
  : [AbortSignal] extends [T]
    ? true
    : [T] extends [string | number | boolean | null | undefined]
      ? true
      : [P[keyof P]] extends [T]
        ? true
        : true extends { [K in keyof P]-?: [NonNullable<P[K]>] extends [T] ? true : false }[keyof P]
          ? true
          : false;

/** Whether one of the parameters takes the payload, or none of them can be meant for it. */
type TakesPayload<Params extends readonly unknown[], P> = unknown extends P
  ? true
  : true extends { [I in keyof Params]: [P] extends [Params[I]] ? true : false }[number]
    ? true
    : false extends { [I in keyof Params]: FromElsewhere<Params[I], P> }[number]
      ? false
      : true;

type Answer<T> = [Awaited<T>] extends [never] ? never : Awaited<T> extends Observable<infer V> ? V : Awaited<T>;

/** Who settles a task by hand, or knows of no answer, answers nothing. */
type AnswersResult<T, R> = unknown extends R
  ? true
  : [R] extends [void]
    ? true
    : [Exclude<Answer<T>, undefined | void>] extends [R]
      ? true
      : false;

type Mismatch<M extends AnyMethod, P, R> =
  TakesPayload<Parameters<M>, P> extends true
    ? AnswersResult<ReturnType<M>, R> extends true
      ? never
      : 'The method answers something else than the result of the contract'
    : 'The method takes something else than the payload of the contract';

/** Goes on methods that take the payload of a contract and answer its result. */
export type HandlerDecorator<P, R> = <M extends AnyMethod>(
  target: object,
  key: string | symbol,
  descriptor: [Mismatch<M, P, R>] extends [never] ? TypedPropertyDescriptor<M> : Mismatch<M, P, R>,
) => void;

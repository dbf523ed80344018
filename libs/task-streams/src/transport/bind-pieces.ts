import type { TaskHandlerOptions } from '../options/handler-options.js';
import { CompletionInterceptor } from '../pipeline/completion.interceptor.js';
import { DeadLetterFilter } from '../pipeline/dead-letter.filter.js';
import { IdempotencyInterceptor } from '../pipeline/idempotency.interceptor.js';
import { piecesOf } from '../pipeline/resolve-policy.js';
import { RetryInterceptor } from '../pipeline/retry.interceptor.js';
import { definitionOf, type HandlerMethod } from './handler-definition.js';
import { METHOD_FILTERS, METHOD_GUARDS, METHOD_INTERCEPTORS } from './nest-internals.js';

const OURS: readonly unknown[] = [IdempotencyInterceptor, RetryInterceptor, CompletionInterceptor];

/**
 * Binds the pieces that the options of a handler ask for, innermost of what is bound so far, in the one order that works:
 * idempotency around retry, so that a claim is kept over the attempts. Called again when a decorator changes the options,
 * so that the order in which decorators are written does not matter.
 */
export function bindPieces(method: HandlerMethod): void {
  const definition = definitionOf(method);
  if (definition === undefined) return;
  const { deadLetter } = piecesOf(definition.options);
  const wanted = wantedPieces(definition.options);
  rewrite(METHOD_INTERCEPTORS, method, (bound) => replaceOurs(bound, wanted));
  rewrite(METHOD_FILTERS, method, (bound) => withFilter(bound, deadLetter));
}

function wantedPieces(options: TaskHandlerOptions): readonly unknown[] {
  const { idempotency, retry } = piecesOf(options);
  return [
    ...(idempotency ? [IdempotencyInterceptor] : []),
    ...(retry ? [RetryInterceptor] : []),
    ...(idempotency || retry ? [] : [CompletionInterceptor]),
  ];
}

/** Whether a method has, of guards, interceptors and filters, nothing but the pieces its options ask for. */
export function hasOnlyOurPieces(method: HandlerMethod, handlerClass: object): boolean {
  const definition = definitionOf(method);
  if (definition === undefined || hasMetadata(METHOD_GUARDS, method)) return false;
  if ([METHOD_GUARDS, METHOD_INTERCEPTORS, METHOD_FILTERS].some((key) => hasMetadata(key, handlerClass))) return false;
  const { deadLetter } = piecesOf(definition.options);
  return (
    isSame(metadata(METHOD_INTERCEPTORS, method), wantedPieces(definition.options)) &&
    isSame(metadata(METHOD_FILTERS, method), deadLetter ? [DeadLetterFilter] : [])
  );
}

function isSame(bound: readonly unknown[], wanted: readonly unknown[]): boolean {
  return bound.length === wanted.length && bound.every((item, i) => item === wanted[i]);
}

function hasMetadata(key: string, target: object): boolean {
  return metadata(key, target).length > 0;
}

function metadata(key: string, target: object): readonly unknown[] {
  return (Reflect.getMetadata(key, target) ?? []) as readonly unknown[];
}

/** In the place of the ones that are bound already, so that those keep their place among the user's. */
function replaceOurs(bound: readonly unknown[], wanted: readonly unknown[]): unknown[] {
  const at = bound.findIndex((item) => OURS.includes(item));
  const isUsers = (item: unknown): boolean => !OURS.includes(item);
  if (at === -1) return [...bound, ...wanted];
  return [...bound.slice(0, at).filter(isUsers), ...wanted, ...bound.slice(at).filter(isUsers)];
}

function withFilter(bound: readonly unknown[], isWanted: boolean): unknown[] {
  if (!isWanted) return bound.filter((item) => item !== DeadLetterFilter);
  return bound.includes(DeadLetterFilter) ? [...bound] : [...bound, DeadLetterFilter];
}

function rewrite(key: string, method: HandlerMethod, change: (bound: readonly unknown[]) => unknown[]): void {
  Reflect.defineMetadata(key, change(metadata(key, method)), method);
}

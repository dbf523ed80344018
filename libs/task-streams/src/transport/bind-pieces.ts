import { CompletionInterceptor } from '../pipeline/completion.interceptor.js';
import { DeadLetterFilter } from '../pipeline/dead-letter.filter.js';
import { IdempotencyInterceptor } from '../pipeline/idempotency.interceptor.js';
import { piecesOf } from '../pipeline/resolve-policy.js';
import { RetryInterceptor } from '../pipeline/retry.interceptor.js';
import { definitionOf, type HandlerMethod } from './handler-definition.js';
import { METHOD_FILTERS, METHOD_INTERCEPTORS } from './nest-internals.js';

const OURS: readonly unknown[] = [IdempotencyInterceptor, RetryInterceptor, CompletionInterceptor];

/**
 * Binds the pieces that the options of a handler ask for, innermost of what is bound so far, in the one order that works:
 * idempotency around retry, so that a claim is kept over the attempts. Called again when a decorator changes the options,
 * so that the order in which decorators are written does not matter.
 */
export function bindPieces(method: HandlerMethod): void {
  const definition = definitionOf(method);
  if (definition === undefined) return;
  const { idempotency, retry, deadLetter } = piecesOf(definition.options);
  const wanted: unknown[] = [
    ...(idempotency ? [IdempotencyInterceptor] : []),
    ...(retry ? [RetryInterceptor] : []),
    ...(idempotency || retry ? [] : [CompletionInterceptor]),
  ];
  rewrite(METHOD_INTERCEPTORS, method, (bound) => replaceOurs(bound, wanted));
  rewrite(METHOD_FILTERS, method, (bound) => withFilter(bound, deadLetter));
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
  const bound = (Reflect.getMetadata(key, method) ?? []) as readonly unknown[];
  Reflect.defineMetadata(key, change(bound), method);
}

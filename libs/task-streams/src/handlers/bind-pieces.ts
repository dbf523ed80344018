import { BOUND_FILTER, BOUND_PIECES } from '../pipeline/bound-pieces.js';
import { piecesOf } from '../pipeline/resolve-policy.js';
import { definitionOf, type HandlerMethod } from './handler-definition.js';
import { METHOD_FILTERS, METHOD_GUARDS, METHOD_INTERCEPTORS } from './nest-internals.js';

/**
 * Binds the pieces to a handler, innermost of what is bound so far. Called again when a decorator changes the options, so
 * that the order in which decorators are written does not matter.
 */
export function bindPieces(method: HandlerMethod): void {
  const definition = definitionOf(method);
  if (definition === undefined) return;
  const filters = piecesOf(definition.options).deadLetter ? [BOUND_FILTER] : [];
  rewrite(METHOD_INTERCEPTORS, method, (bound) => (bound.includes(BOUND_PIECES) ? bound : [...bound, BOUND_PIECES]));
  // Without ours, those of the class and of the application see the errors.
  rewrite(METHOD_FILTERS, method, (bound) =>
    bound.includes(BOUND_FILTER) && filters.length > 0
      ? bound
      : [...bound.filter((filter) => filter !== BOUND_FILTER), ...filters],
  );
}

/** Whether a method has, of guards, interceptors and filters, nothing but our pieces. */
export function hasOnlyOurPieces(method: HandlerMethod, handlerClass: object): boolean {
  const kinds = [METHOD_GUARDS, METHOD_INTERCEPTORS, METHOD_FILTERS];
  const ours: readonly unknown[] = [BOUND_PIECES, BOUND_FILTER];
  return (
    kinds.every((kind) => metadata(kind, method).every((bound) => ours.includes(bound))) &&
    kinds.every((kind) => metadata(kind, handlerClass).length === 0)
  );
}

function metadata(key: string, target: object): readonly unknown[] {
  return (Reflect.getMetadata(key, target) ?? []) as readonly unknown[];
}

function rewrite(key: string, method: HandlerMethod, change: (bound: readonly unknown[]) => readonly unknown[]): void {
  Reflect.defineMetadata(key, change(metadata(key, method)), method);
}

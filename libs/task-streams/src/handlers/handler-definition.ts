import type {
  DeadLetterOptions,
  IdempotencyOptions,
  RetryOptions,
  TaskHandlerOptions,
} from '../options/handler-options.js';
import { LIBRARY_VERSION } from '../task/library-version.js';
import type { PayloadClass } from '../task/task-contract.js';

/** A method, as a decorator sees it. */
export type HandlerMethod = (...args: never[]) => unknown;

/** What `@TaskHandler` says about a method. */
export interface HandlerDeclaration {
  readonly name: string;
  readonly queue: string;
  readonly options: TaskHandlerOptions;
  /** The class of its contract to check payloads against. */
  readonly payload: PayloadClass<unknown> | undefined;
  /** Whether the type of its payload is a class that was not there at runtime, so that nothing is known to validate with. */
  readonly isPayloadLost: boolean;
  /** Where it was written, such as `PaymentsTasks.debit`. */
  readonly place: string;
  readonly method: HandlerMethod;
  /** Of the library that has the decorator. */
  readonly version: string;
}

/** What `@Retry`, `@Idempotent` and `@DeadLetter` say about a method. */
export interface PolicyOverrides {
  readonly retry?: RetryOptions | false;
  readonly idempotency?: IdempotencyOptions | false;
  readonly deadLetter?: DeadLetterOptions | false;
}

const DECLARATION = Symbol.for('nestjs-task-streams:handler');
const OVERRIDES = Symbol.for('nestjs-task-streams:overrides');

export function declareHandler(declaration: Omit<HandlerDeclaration, 'version'>): void {
  Reflect.defineMetadata(DECLARATION, { ...declaration, version: LIBRARY_VERSION }, declaration.method);
}

/** Adds to what the decorators say; the later one wins. */
export function overridePolicy(method: HandlerMethod, overrides: PolicyOverrides): void {
  const earlier = Reflect.getMetadata(OVERRIDES, method) as PolicyOverrides | undefined;
  Reflect.defineMetadata(OVERRIDES, { ...earlier, ...overrides }, method);
}

/** The declaration of a method with what its decorators say; `undefined` for any other method. */
export function definitionOf(method: unknown): HandlerDeclaration | undefined {
  if (typeof method !== 'function') return undefined;
  const declaration = Reflect.getMetadata(DECLARATION, method) as HandlerDeclaration | undefined;
  const overrides = Reflect.getMetadata(OVERRIDES, method) as PolicyOverrides | undefined;
  return declaration && overrides
    ? { ...declaration, options: mergeOptions(declaration.options, overrides) }
    : declaration;
}

/** Option by option: a decorator on the method beats the options of `@TaskHandler`. */
function mergeOptions(options: TaskHandlerOptions, overrides: PolicyOverrides): TaskHandlerOptions {
  return {
    ...options,
    ...(overrides.retry === undefined ? {} : { retry: merge(options.retry, overrides.retry) }),
    ...(overrides.idempotency === undefined ? {} : { idempotency: merge(options.idempotency, overrides.idempotency) }),
    ...(overrides.deadLetter === undefined ? {} : { deadLetter: merge(options.deadLetter, overrides.deadLetter) }),
  };
}

function merge<T extends object>(base: T | false | undefined, override: T | false): T | false {
  return override === false ? false : { ...(base === false ? undefined : base), ...override };
}

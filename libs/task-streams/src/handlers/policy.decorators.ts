import type { DeadLetterOptions, IdempotencyOptions, RetryOptions } from '../options/handler-options.js';
import type { DeadLetter as DeadLetterRecord } from '../task/dead-letter.js';
import { UsageError } from '../task/config-errors.js';
import { bindPieces } from './bind-pieces.js';
import { overridePolicy, type HandlerMethod, type PolicyOverrides } from './handler-definition.js';

/**
 * How failures of a task are answered; the same as `retry` of `@TaskHandler`, option by option, and stronger.
 *
 * @param options `false` gives a failed task up at its first error.
 * @publicApi
 */
export function Retry(options: RetryOptions | false): MethodDecorator {
  return overriding('Retry', { retry: options });
}

/**
 * How a task is kept from having its effect twice; the same as `idempotency` of `@TaskHandler`, option by option, and
 * stronger.
 *
 * @param options `false` runs every task it is given. Default: the key of the sender, else the task id.
 * @publicApi
 */
export function Idempotent<P = unknown>(options: IdempotencyOptions<P> | false = {}): MethodDecorator {
  return overriding('Idempotent', { idempotency: options as IdempotencyOptions | false });
}

/**
 * A task that was set aside. It shares its name with the decorator {@link DeadLetter}, so that both are exported by it.
 *
 * @publicApi
 */
export type DeadLetter = DeadLetterRecord;

/**
 * What happens to a task that is given up; the same as `deadLetter` of `@TaskHandler`, option by option, and stronger.
 *
 * @param options `false` keeps no dead letter.
 * @publicApi
 */
export function DeadLetter(options: DeadLetterOptions | false): MethodDecorator {
  return overriding('DeadLetter', { deadLetter: options });
}

function overriding(name: string, overrides: PolicyOverrides): MethodDecorator {
  return (_target, key, descriptor) => {
    const method: unknown = descriptor.value;
    if (typeof method !== 'function') throw new UsageError(`@${name}() belongs on a method; ${String(key)} is none`);
    overridePolicy(method as HandlerMethod, overrides);
    bindPieces(method as HandlerMethod);
  };
}

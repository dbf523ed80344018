import type { TaskContext } from '../pipeline/task-context.js';
import type { TaskPolicy } from '../pipeline/resolve-policy.js';
import { DuplicateHandlerError } from '../task/config-errors.js';

/** A handler that can be called: the whole pipeline of Nest around the method. */
export interface RegisteredHandler {
  readonly name: string;
  readonly queue: string;
  readonly place: string;
  readonly policy: TaskPolicy;
  /** May answer a value, a promise or an observable. */
  readonly invoke: (payload: unknown, context: TaskContext) => unknown;
}

/** The handlers of this process, by queue and name. */
export class HandlerRegistry {
  readonly #queues = new Map<string, Map<string, RegisteredHandler>>();

  /** @throws DuplicateHandlerError for a second handler of a task in a queue. */
  add(handler: RegisteredHandler): void {
    const handlers = this.#queues.get(handler.queue) ?? new Map<string, RegisteredHandler>();
    const first = handlers.get(handler.name);
    if (first) throw new DuplicateHandlerError(handler.name, handler.queue, first.place, handler.place);
    this.#queues.set(handler.queue, handlers.set(handler.name, handler));
  }

  find(queue: string, name: string): RegisteredHandler | undefined {
    return this.#queues.get(queue)?.get(name);
  }

  get queues(): readonly string[] {
    return [...this.#queues.keys()];
  }

  *[Symbol.iterator](): IterableIterator<RegisteredHandler> {
    for (const handlers of this.#queues.values()) yield* handlers.values();
  }
}

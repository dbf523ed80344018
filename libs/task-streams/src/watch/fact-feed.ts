import { factName, factOf } from './fact-of.js';
import type { Fact, FactListener, FactSource, WatchedEvent } from './fact.interface.js';

/** Passes on what happened to those who hear of it. A listener that throws or rejects disturbs nobody. */
export class FactFeed<E extends WatchedEvent> implements FactSource {
  readonly #listeners: FactListener[] = [];

  /** False while nobody listens. */
  get isWatched(): boolean {
    return this.#listeners.length > 0;
  }

  listen(listener: FactListener): void {
    this.#listeners.push(listener);
  }

  /** Tasks come in thousands a second: nothing is put together for what nobody hears, and once for those who do. */
  observe(event: E): void {
    if (this.#listeners.length === 0) return;
    const name = factName(event);
    const queue = queueOf(event);
    let fact: Fact | undefined;
    for (const listener of this.#listeners) {
      try {
        if (listener.hears(name, queue)) quiet(listener.tell((fact ??= factOf(event, name))));
      } catch {
        // Its own affair: the next listener, and the one who tells, go on.
      }
    }
  }
}

function queueOf(event: WatchedEvent): string | undefined {
  if ('delivery' in event) return event.delivery.queue;
  return 'queue' in event ? event.queue : undefined;
}

function quiet(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => undefined);
}

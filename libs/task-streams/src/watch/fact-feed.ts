import { factName, factOf } from './fact-of.js';
import type { Fact, FactListener, FactName, FactSource, WatchedEvent } from './fact.interface.js';
import { FACT_NAMES } from './facts.js';

/** Passes on what happened to those who hear of it. A listener that throws or rejects disturbs nobody. */
export class FactFeed<E extends WatchedEvent> implements FactSource {
  readonly #heard: { [K in FactName]?: FactListener[] } = {};
  #isWatched = false;

  /** False while nobody listens. */
  get isWatched(): boolean {
    return this.#isWatched;
  }

  listen(listener: FactListener): void {
    this.#isWatched = true;
    for (const name of FACT_NAMES) if (listener.hears(name)) (this.#heard[name] ??= []).push(listener);
  }

  /** Tasks come in thousands a second: nothing is put together for what nobody hears, and once for those who do. */
  observe(event: E): void {
    const name = factName(event);
    const listeners = this.#heard[name];
    if (listeners === undefined) return;
    let fact: Fact | undefined;
    for (const listener of listeners) {
      try {
        if (listener.wants === undefined || listener.wants(name, event))
          quiet(listener.tell((fact ??= factOf(event, name))));
      } catch {
        // Its own affair: the next listener, and the one who tells, go on.
      }
    }
  }
}

function quiet(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => undefined);
}

type Listener<E> = (event: E) => void;

/** Passes events on to their listeners. A listener that throws or rejects disturbs nobody. */
export class EventListeners<E> {
  readonly #listeners: Listener<E>[] = [];

  /** False while nobody listens. */
  get isWatched(): boolean {
    return this.#listeners.length > 0;
  }

  /** Hears every event. */
  add(listener: Listener<E>): void {
    this.#listeners.push(listener);
  }

  observe(event: E): void {
    for (const listener of this.#listeners) {
      try {
        const answer: unknown = listener(event);
        if (answer instanceof Promise) answer.catch(() => undefined);
      } catch {
        // Its own affair: the next listener, and whoever tells, go on.
      }
    }
  }
}

import type { WorkerEvent, WorkerObserver } from '../contracts/worker-observer.interface.js';

type Kind = WorkerEvent['kind'];
type Listener = (event: WorkerEvent) => void;

/** Passes what a worker tells on to whoever listens. A listener that throws disturbs nobody. */
export class WorkerEvents implements WorkerObserver {
  readonly #listeners: Listener[] = [];

  /** Hears every event. */
  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Hears the events of one kind. */
  on<K extends Kind>(kind: K, listener: (event: Extract<WorkerEvent, { kind: K }>) => void): void {
    this.add((event) => {
      if (event.kind === kind) listener(event as Extract<WorkerEvent, { kind: K }>);
    });
  }

  observe(event: WorkerEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // Its own affair: the next listener, and the worker, go on.
      }
    }
  }
}

import { EventListeners } from './event-listeners.js';
import type { WorkerEvent, WorkerObserver } from './worker-observer.interface.js';

type Kind = WorkerEvent['kind'];

/** Passes what a worker tells on to whoever listens. A listener that throws disturbs nobody. */
export class WorkerEvents implements WorkerObserver {
  readonly #listeners = new EventListeners<WorkerEvent>();

  /** Hears every event. */
  add(listener: (event: WorkerEvent) => void): void {
    this.#listeners.add(listener);
  }

  /** Hears the events of one kind. */
  on<K extends Kind>(kind: K, listener: (event: Extract<WorkerEvent, { kind: K }>) => void): void {
    this.add((event) => {
      if (event.kind === kind) listener(event as Extract<WorkerEvent, { kind: K }>);
    });
  }

  observe(event: WorkerEvent): void {
    this.#listeners.observe(event);
  }
}

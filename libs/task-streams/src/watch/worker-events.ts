import { FactFeed } from './fact-feed.js';
import type { WorkerEvent } from './worker-observer.interface.js';

type Kind = WorkerEvent['kind'];
type Listener = (event: WorkerEvent) => unknown;

/** Passes what a worker tells on: to those who hear facts, and as it is to those who asked for a kind. */
export class WorkerEvents extends FactFeed<WorkerEvent> {
  readonly #raw = new Map<Kind, Listener[]>();

  /** Hears the events of one kind as they are. A listener that throws or rejects disturbs nobody. */
  on<K extends Kind>(kind: K, listener: (event: Extract<WorkerEvent, { kind: K }>) => void): void {
    this.#raw.set(kind, [...(this.#raw.get(kind) ?? []), listener as Listener]);
  }

  override observe(event: WorkerEvent): void {
    super.observe(event);
    if (this.#raw.size === 0) return;
    for (const listener of this.#raw.get(event.kind) ?? []) {
      try {
        const answer = listener(event);
        if (answer instanceof Promise) answer.catch(() => undefined);
      } catch {
        // Its own affair.
      }
    }
  }
}

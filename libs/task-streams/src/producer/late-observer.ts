import type { ProducerEvent, ProducerObserver } from '../watch/producer-observer.interface.js';

/** Passes on what a producer tells to an observer that is known later than the producer; until then to nobody. */
export class LateObserver implements ProducerObserver {
  #target: ProducerObserver | undefined;

  /** False while nobody listens, there or here. */
  get isWatched(): boolean {
    return this.#target?.isWatched === true;
  }

  passTo(target: ProducerObserver): void {
    this.#target = target;
  }

  observe(event: ProducerEvent): void {
    this.#target?.observe(event);
  }
}

import type { DrainBounds, DrainStep, DrainablePlace, QueueStore } from '../contracts/queue-store.interface.js';

type Store = Pick<QueueStore, 'beginDrain' | 'drainStep' | 'endDrain'>;

interface RemovalWatch {
  readonly onProgress?: (removed: Readonly<Record<DrainablePlace, number>>) => void;
  readonly signal?: AbortSignal;
}

/** Empties a queue of what was there when it began, step by step. */
export class QueueRemoval {
  readonly counts: Record<DrainablePlace, number> = { waiting: 0, delayed: 0, dead: 0 };
  private error: string | undefined;

  constructor(
    private readonly store: Store,
    private readonly queue: string,
    private readonly how: Pick<DrainStep, 'recordMs' | 'by' | 'reason'>,
    private readonly watch: RemovalWatch,
  ) {}

  /** @throws Error at the end where a task could not be removed. */
  async run(places: readonly DrainablePlace[]): Promise<void> {
    const bounds = await this.store.beginDrain(this.queue, places.includes('delayed'));
    try {
      for (const place of places) await this.empty(place, bounds);
    } finally {
      this.counts.delayed += await this.store.endDrain(this.queue, bounds);
    }
    if (this.error !== undefined) {
      throw new Error(`Queue "${this.queue}": some tasks could not be removed. Redis said of ${this.error}`);
    }
  }

  /**
   * A pass over the delayed set sees all of it, but where another server takes over in the middle, which has another order.
   * So there is one more pass, which finds nothing.
   */
  private async empty(place: DrainablePlace, bounds: DrainBounds): Promise<void> {
    for (;;) {
      const removed = await this.pass(place, bounds);
      if (place !== 'delayed' || removed === 0 || this.watch.signal?.aborted) return;
    }
  }

  private async pass(place: DrainablePlace, bounds: DrainBounds): Promise<number> {
    const before = this.counts[place];
    let cursor: string | undefined;
    do {
      if (this.watch.signal?.aborted) break;
      const reply = await this.store.drainStep(this.queue, { ...this.how, place, bounds, cursor });
      this.counts[place] += reply.removedCount;
      this.error = reply.error ?? this.error;
      cursor = reply.cursor;
      this.watch.onProgress?.({ ...this.counts });
    } while (cursor !== undefined);
    return this.counts[place] - before;
  }
}

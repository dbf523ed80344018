import type { ReclaimReply, WorkStore } from '../contracts/work-store.interface.js';
import type { Trouble } from './error-episodes.js';
import type { LeaseKeeper } from './lease-keeper.js';
import { Periodic } from './periodic.js';
import type { RunRegistry } from './run-registry.js';

const START = '0-0';
const MAX_COUNT = 100;
/** Calls of one sweep that find nothing; the rest of a long list of living tasks is for the next sweep. */
const MAX_IDLE_CALLS = 10;

export interface ReclaimerListener {
  onReclaimed(reply: ReclaimReply): void;
  onDeleted(count: number): void;
}

export interface ReclaimerParts {
  readonly queue: string;
  readonly work: WorkStore;
  readonly registry: RunRegistry;
  readonly keeper: LeaseKeeper;
  readonly listener: ReclaimerListener;
  /** Milliseconds between two sweeps. */
  readonly sweepMs: number;
  /** While the queue is paused nothing is taken over: that would start it. */
  readonly isPaused: () => boolean;
  readonly trouble: Trouble;
}

/**
 * Takes over tasks whose lease lapsed, whoever held them. It takes no more than there are slots, looks at a bounded part
 * of the pending list at a time, and remembers where it was. Where the slots are full it waits for one, and the tasks
 * that wait in the queue leave it that one; where it finds many, they leave it half of the slots until there are no more.
 */
export class Reclaimer {
  private readonly periodic: Periodic;
  private readonly stopping = new AbortController();
  private cursor = START;

  constructor(private readonly parts: ReclaimerParts) {
    this.periodic = new Periodic(async () => {
      if (parts.isPaused()) return this.nextDelayMs();
      const graceMs = await this.sweep();
      return graceMs > 0 ? Math.min(graceMs, this.nextDelayMs()) : this.nextDelayMs();
    }, parts.trouble);
  }

  start(): void {
    this.periodic.start(this.nextDelayMs() / 2);
  }

  stop(): Promise<void> {
    this.stopping.abort();
    this.parts.registry.tellFree();
    return this.periodic.stop();
  }

  /** Answers how long lapsed leases are left alone, in milliseconds. */
  private async sweep(): Promise<number> {
    const { registry, keeper } = this.parts;
    await keeper.renewIfLate();
    registry.reservedForSweep = 1;
    try {
      for (let idleCalls = 0; idleCalls < MAX_IDLE_CALLS && !this.stopping.signal.aborted;) {
        await registry.slotFreed(this.stopping.signal);
        const asked = Math.min(registry.freeCount, MAX_COUNT);
        if (asked === 0) continue;
        const { count, isOver, graceMs } = await this.takeOver(asked);
        if (isOver) return graceMs;
        if (count === 0) idleCalls += 1;
        else registry.reservedForSweep = Math.ceil(registry.concurrency / 2);
      }
    } finally {
      registry.reservedForSweep = 0;
      registry.tellFree();
    }
    return 0;
  }

  private async takeOver(max: number): Promise<{ count: number; isOver: boolean; graceMs: number }> {
    const { work, queue, listener } = this.parts;
    const reply = await work.reclaim(queue, max, this.cursor);
    const { deliveries, cursor, deletedCount, graceMs } = reply;
    this.cursor = cursor;
    if (deletedCount > 0) listener.onDeleted(deletedCount);
    listener.onReclaimed(reply);
    const count = deliveries.length;
    return { count, isOver: count < max && cursor === START, graceMs };
  }

  /** Spread by a fifth, so that the workers of a fleet do not sweep together. */
  private nextDelayMs(): number {
    return this.parts.sweepMs * (0.8 + Math.random() * 0.4);
  }
}

import type { Delivery, LeaseBroker } from '../contracts/broker.interface.js';
import type { Trouble } from './error-episodes.js';
import type { LeaseKeeper } from './lease-keeper.js';
import { Periodic } from './periodic.js';
import type { RunRegistry } from './run-registry.js';

const START = '0-0';
const MAX_COUNT = 100;
const MAX_CALLS = 10;

export interface ReclaimerListener {
  onReclaimed(deliveries: readonly Delivery[]): void;
  onDeleted(count: number): void;
}

/**
 * Takes over tasks whose lease lapsed, whoever held them. It takes no more than there are slots, looks at a bounded part
 * of the pending list at a time, and remembers where it was.
 */
export class Reclaimer {
  private readonly periodic: Periodic;
  private cursor = START;

  constructor(
    private readonly queue: string,
    private readonly broker: LeaseBroker,
    private readonly registry: RunRegistry,
    private readonly keeper: LeaseKeeper,
    private readonly listener: ReclaimerListener,
    private readonly sweepMs: number,
    trouble: Trouble,
  ) {
    this.periodic = new Periodic(async () => {
      await this.sweep();
      return this.nextDelayMs();
    }, trouble);
  }

  start(): void {
    this.periodic.start(this.nextDelayMs() / 2);
  }

  stop(): Promise<void> {
    return this.periodic.stop();
  }

  private async sweep(): Promise<void> {
    await this.keeper.renewIfLate();
    for (let calls = 0; calls < MAX_CALLS; calls += 1) {
      const free = this.registry.freeCount;
      if (free === 0) return;
      const reply = await this.broker.reclaim(this.queue, Math.min(free, MAX_COUNT), this.cursor);
      this.cursor = reply.cursor;
      if (reply.deletedCount > 0) this.listener.onDeleted(reply.deletedCount);
      this.listener.onReclaimed(reply.deliveries);
      if (this.cursor === START) return;
    }
  }

  /** Spread by a fifth, so that the workers of a fleet do not sweep together. */
  private nextDelayMs(): number {
    return this.sweepMs * (0.8 + Math.random() * 0.4);
  }
}

import type { WorkStore } from '../contracts/work-store.interface.js';
import type { CancelRequest } from '../task/cancel-request.js';
import type { Trouble } from './error-episodes.js';
import { Periodic } from './periodic.js';
import type { Run } from './run.js';
import type { RunRegistry } from './run-registry.js';

const MAX_BATCH = 200;
const LONGEST_PAUSE_MS = 500;
/** How soon a worker is first heard of: from then on others see it. */
const FIRST_BEAT_MS = 500;

export interface LeaseListener {
  /** The task is somebody else's now. */
  onLost(run: Run): void;
  /** Somebody asked for its end. */
  onCancel(run: Run, request: CancelRequest): void;
}

/**
 * Renews the lease of everything this worker holds, a third of the lease apart, in one call. A task that is no longer
 * ours, or is to stop, is told to the listener. It runs on the main loop on purpose: a loop that is blocked must lose its leases.
 */
export class LeaseKeeper {
  private readonly periodic: Periodic;
  private renewedAt = performance.now();
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly queue: string,
    private readonly work: WorkStore,
    private readonly registry: RunRegistry,
    private readonly leaseMs: number,
    private readonly listener: LeaseListener,
    trouble: Trouble,
  ) {
    const renew = async () => {
      await this.renewNow();
      return this.leaseMs / 3;
    };
    // When Redis is back, the leases are renewed before anybody may reclaim them.
    this.periodic = new Periodic(renew, trouble, Math.min(leaseMs / 6, LONGEST_PAUSE_MS));
  }

  start(): void {
    this.periodic.start(Math.min(this.leaseMs / 3, FIRST_BEAT_MS));
  }

  stop(): Promise<void> {
    return this.periodic.stop();
  }

  /**
   * Renews now, where the last renewal is long ago: after a pause of Redis or of this process everybody's leases look
   * lapsed, and a sweep before the renewal would take living tasks.
   */
  async renewIfLate(): Promise<void> {
    if (performance.now() - this.renewedAt > this.leaseMs / 2) await this.renewNow();
  }

  /** Renews now, together with whoever asks for it at the same time. @throws what Redis answers. */
  renewNow(): Promise<void> {
    this.renewing ??= this.renew().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  private async renew(): Promise<void> {
    const held = this.registry.all();
    let first = 0;
    // Also with nothing to renew: it is a sign of life.
    do await this.renewBatch(held.slice(first, (first += MAX_BATCH)), first === MAX_BATCH);
    while (first < held.length);
    this.renewedAt = performance.now();
  }

  private async renewBatch(batch: readonly Run[], isFirst: boolean): Promise<void> {
    const { runningCount: running, concurrency } = this.registry;
    const sent = batch.map((run) => run.delivery);
    const sentAt = performance.now();
    const owned = await this.work.renew(
      this.queue,
      batch.map((run) => ({ owner: run.delivery, keyScope: run.task?.keyScope })),
      isFirst ? { running, concurrency } : undefined,
    );
    batch.forEach((run, i) => {
      if (owned[i]) run.leasedAt = Math.max(run.leasedAt, sentAt);
      // One that our own sweep claimed anew while the call was on its way is not lost. Nor is one that is being settled: the
      // event comes too late for it.
      if (owned[i] === false && run.delivery === sent[i]) this.listener.onLost(run);
      if (typeof owned[i] === 'object') this.listener.onCancel(run, owned[i]);
    });
  }
}

import type { QueuePlan } from '../../../libs/task-streams/src/worker/worker-parts.js';
import type { DrainReport, WorkerStatus } from '../../../libs/task-streams/src/worker/worker-status.js';

/** A worker pool that only remembers what it was told. */
export class FakePool {
  plans: readonly QueuePlan[] | undefined;
  startCount = 0;
  drainCount = 0;
  /** What it says when it has drained. */
  report: DrainReport = { releasedCount: 0, unsettledCount: 0 };
  /** What else happens while the pool drains. */
  onDrain: () => Promise<void> | void = () => undefined;

  start(plans: readonly QueuePlan[]): void {
    this.startCount += 1;
    this.plans = plans;
  }

  async drain(): Promise<DrainReport> {
    this.drainCount += 1;
    await this.onDrain();
    return this.report;
  }

  status(): WorkerStatus {
    return { state: this.drainCount > 0 ? 'stopped' : this.plans ? 'running' : 'idle', queues: [] };
  }
}

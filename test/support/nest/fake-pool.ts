import type { QueuePlan } from '../../../libs/task-streams/src/worker/worker-parts.js';
import type { WorkerStatus } from '../../../libs/task-streams/src/worker/worker-status.js';

/** A worker pool that only remembers what it was told. */
export class FakePool {
  plans: readonly QueuePlan[] | undefined;
  startCount = 0;
  drainCount = 0;
  /** What else happens while the pool drains. */
  onDrain: () => Promise<void> | void = () => undefined;

  start(plans: readonly QueuePlan[]): void {
    this.startCount += 1;
    this.plans = plans;
  }

  async drain(): Promise<void> {
    this.drainCount += 1;
    await this.onDrain();
  }

  status(): WorkerStatus {
    return { state: this.drainCount > 0 ? 'stopped' : this.plans ? 'running' : 'idle', queues: [] };
  }
}

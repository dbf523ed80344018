import { Isolation } from './isolation.js';
import { QueueWorker } from './queue-worker.js';
import type { QueuePlan, WorkerParts } from './worker-parts.js';
import type { DrainReport, WorkerStatus } from './worker-status.js';

/**
 * The workers of this process, one a queue. Starting and draining can be asked for twice; a pool that was drained does
 * not start again.
 */
export class WorkerPool {
  private readonly workers: QueueWorker[] = [];
  private readonly isolation = new Isolation();
  private state: WorkerStatus['state'] = 'idle';
  private drained: Promise<DrainReport> | undefined;

  constructor(private readonly parts: WorkerParts) {}

  /** Starts the loops. Never throws: a loop without Redis goes on trying. */
  start(queues: readonly QueuePlan[]): void {
    if (this.state !== 'idle') return;
    this.state = 'running';
    for (const plan of queues) {
      const worker = new QueueWorker(plan, this.parts, this.isolation);
      this.workers.push(worker);
      worker.start();
    }
  }

  /** Stops fetching, lets running tasks end within the shutdown timeout, and hands the rest back. Never rejects. */
  drain(): Promise<DrainReport> {
    return (this.drained ??= this.drainAll());
  }

  status(): WorkerStatus {
    return { state: this.state, queues: this.workers.map((worker) => worker.status()) };
  }

  private async drainAll(): Promise<DrainReport> {
    this.state = 'draining';
    const reports = await Promise.all(this.workers.map((worker) => worker.drain()));
    this.state = 'stopped';
    return {
      releasedCount: reports.reduce((sum, { releasedCount }) => sum + releasedCount, 0),
      unsettledCount: reports.reduce((sum, { unsettledCount }) => sum + unsettledCount, 0),
    };
  }
}

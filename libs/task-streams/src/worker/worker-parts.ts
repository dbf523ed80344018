import type { Broker } from '../contracts/broker.interface.js';
import type { TaskExecutor } from '../contracts/task-executor.interface.js';
import type { WorkerObserver } from '../watch/worker-observer.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';

/** A queue and how many of its tasks run at once in this process. */
export interface QueuePlan {
  readonly name: string;
  readonly concurrency: number;
}

/** What a worker is made of. */
export interface WorkerParts {
  readonly broker: Broker;
  readonly executor: TaskExecutor;
  readonly options: ResolvedOptions;
  readonly observer: WorkerObserver;
}

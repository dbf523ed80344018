import { guardTracing } from '../contracts/guard-tracing.js';
import type { RunningTask, TaskExecutor } from '../contracts/task-executor.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import { startAttempt, type AttemptParts } from './attempt.js';

/** Runs deliveries through the pipeline of Nest. Whatever happens in there, a task comes to exactly one outcome. */
export class NestTaskExecutor implements TaskExecutor {
  readonly #parts: AttemptParts;

  constructor(parts: AttemptParts) {
    this.#parts = { ...parts, tracing: guardTracing(parts.tracing) };
  }

  execute(delivery: Delivery): RunningTask {
    return startAttempt(delivery, this.#parts);
  }
}

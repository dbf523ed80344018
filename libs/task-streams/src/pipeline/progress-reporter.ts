import { Logger } from '@nestjs/common';
import type { TaskStore } from '../contracts/task-store.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import { isLargerThan, toJson } from './encode-result.js';

/** At most one write in so many milliseconds. */
const INTERVAL_MS = 500;
/** A larger report is left out: progress is for people who wait. */
const MAX_BYTES = 4_096;

const logger = new Logger('TaskProgress');

/** Writes the progress of one task: the newest value, now and then, and never a failure of the task. */
export class ProgressReporter {
  #pending: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    private readonly tasks: Pick<TaskStore, 'reportProgress'>,
    private readonly owner: () => Delivery,
  ) {}

  report(value: unknown): void {
    if (this.#isStopped) return;
    const json = toJson(value);
    if (json === undefined || isLargerThan(json, MAX_BYTES)) {
      logger.warn(
        `Task ${this.owner().taskId}: a progress report was left out; send JSON of at most ${MAX_BYTES} bytes`,
      );
      return;
    }
    this.#pending = json;
    if (this.#timer === undefined) this.#flush();
  }

  /** Nothing is written from now on: the outcome of the task takes the place of its progress. */
  stop(): void {
    this.#isStopped = true;
    this.#pending = undefined;
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#pending === undefined) return;
    const json = this.#pending;
    this.#pending = undefined;
    // The timer runs after each write, so that the value that comes last is written by it.
    this.#timer = setTimeout(() => this.#flush(), INTERVAL_MS).unref();
    void this.#write(json);
  }

  async #write(json: string): Promise<void> {
    try {
      await this.tasks.reportProgress(this.owner(), json);
    } catch (error) {
      logger.debug(`Task ${this.owner().taskId}: progress was not written: ${String(error)}`);
    }
  }
}

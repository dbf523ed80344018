import { Logger } from '@nestjs/common';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { TaskLogLine, TaskStore } from '../contracts/task-store.interface.js';

/** Lines of so many milliseconds are written together. */
const INTERVAL_MS = 200;
/** A longer line is cut, in characters. */
const MAX_LINE_LENGTH = 1_000;
/** More lines than these are not kept anyway. */
const MAX_WAITING = 100;

const logger = new Logger('TaskLog');

/** Writes the log lines of one task: now and then, the last ones at its end, and never a failure of the task. */
export class LogWriter {
  #waiting: TaskLogLine[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: Pick<TaskStore, 'appendLog'>,
    private readonly owner: () => Delivery,
  ) {}

  add(text: unknown, attempt: number): void {
    this.#waiting.push({ at: new Date(), attempt, text: String(text).slice(0, MAX_LINE_LENGTH) });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS).unref();
  }

  /** Writes what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const lines = this.#waiting;
    this.#waiting = [];
    void this.#write(lines);
  }

  async #write(lines: readonly TaskLogLine[]): Promise<void> {
    try {
      await this.log.appendLog(this.owner(), lines);
    } catch (error) {
      logger.debug(`Task ${this.owner().taskId}: ${lines.length} log lines were not written: ${String(error)}`);
    }
  }
}

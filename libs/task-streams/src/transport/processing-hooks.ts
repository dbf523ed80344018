import { Logger } from '@nestjs/common';
import type { TaskContext } from '../pipeline/task-context.js';
import { REDIS_STREAMS } from '../handlers/transport-id.js';

/** What Nest, or a tracing library, sets by `setOnProcessingStartHook`: it must call `done`. */
export type ProcessingStartHook = (transportId: symbol, context: TaskContext, done: () => Promise<unknown>) => void;
export type ProcessingEndHook = (transportId: symbol, context: TaskContext) => void;

const logger = new Logger('TaskStreams');

/** The hooks around each task. Each is called once for a task, the end hook on failures too. */
export class ProcessingHooks {
  start: ProcessingStartHook | undefined;
  end: ProcessingEndHook | undefined;

  /** Runs `work` between the hooks; rejects when `work` does, or when the start hook throws. */
  around<T>(context: TaskContext, work: () => Promise<T>): Promise<T> {
    return this.start === undefined && this.end === undefined ? work() : this.#between(context, work);
  }

  async #between<T>(context: TaskContext, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#started(context, work);
    } finally {
      this.#ended(context);
    }
  }

  #started<T>(context: TaskContext, work: () => Promise<T>): Promise<T> {
    const { start } = this;
    if (start === undefined) return work();
    // What a hook answers is not awaited: the type says void, and some answer a promise of their own span.
    return new Promise<T>((resolve, reject) => {
      const answer: unknown = start(REDIS_STREAMS, context, () => work().then(resolve, reject));
      if (answer instanceof Promise) answer.catch(reject);
    });
  }

  #ended(context: TaskContext): void {
    const tell = (error: unknown): void =>
      logger.error('A processing end hook threw; the outcome of the task is not changed by it', error);
    try {
      const answer: unknown = this.end?.(REDIS_STREAMS, context);
      if (answer instanceof Promise) answer.catch(tell);
    } catch (error) {
      tell(error);
    }
  }
}

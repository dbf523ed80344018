import { Inject, Injectable } from '@nestjs/common';
import { TaskRuntime } from './task-runtime.js';

/**
 * Starts and stops the workers of a plain application context, which has no strategy to listen.
 *
 * @example
 * const app = await NestFactory.createApplicationContext(AppModule);
 * app.get(TaskWorkers).start();
 *
 * @publicApi
 */
@Injectable()
export class TaskWorkers {
  constructor(@Inject(TaskRuntime) private readonly runtime: TaskRuntime) {}

  /**
   * Starts the workers as soon as the application has bootstrapped. They connect to Redis by themselves. A second call
   * does nothing.
   *
   * @throws UsageError in a producer and after {@link stop}.
   * @throws DuplicateHandlerError for two handlers of one task.
   */
  start(): void {
    this.runtime.startWithoutListening();
  }

  /**
   * Stops fetching, waits for running tasks up to `shutdownTimeoutMs` and hands the rest back. `app.close()` does it too.
   * They cannot be started again.
   */
  stop(): Promise<void> {
    return this.runtime.stop();
  }
}

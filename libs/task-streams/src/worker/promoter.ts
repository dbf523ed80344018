import type { TaskPromoter } from '../contracts/broker.interface.js';
import type { Trouble } from './error-episodes.js';
import { Periodic } from './periodic.js';

/**
 * Moves due tasks into the stream. Every worker runs one; the script moves a task once. It looks again when the next
 * task is due, and at the latest after its interval, because another process may delay a task at any time.
 */
export class Promoter {
  private readonly periodic: Periodic;

  constructor(queue: string, broker: TaskPromoter, intervalMs: number, trouble: Trouble) {
    this.periodic = new Periodic(async () => {
      const { nextInMs, trouble: reply } = await broker.promote(queue);
      if (reply !== undefined) throw new Error(reply);
      return Math.min(nextInMs ?? intervalMs, intervalMs);
    }, trouble);
  }

  start(): void {
    this.periodic.start(0);
  }

  stop(): Promise<void> {
    return this.periodic.stop();
  }
}

import type { LookReply, WorkStore } from '../contracts/work-store.interface.js';
import type { Trouble } from './error-episodes.js';
import { Periodic } from './periodic.js';

/**
 * Moves due tasks into the stream. Every worker runs one; the script moves a task once. It looks again when the next
 * task is due, and at the latest after its interval, because another process may delay a task at any time. What is asked of
 * the workers of the queue comes with each look.
 */
export class Promoter {
  private readonly periodic: Periodic;

  /** @param onNews Told what each look found. */
  constructor(queue: string, work: WorkStore, intervalMs: number, trouble: Trouble, onNews: (news: LookReply) => void) {
    this.periodic = new Periodic(async () => {
      const news = await work.look(queue);
      const { nextInMs } = news;
      onNews(news);
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

import type { DeadLetterReader, DeadLetterStore, FedLetter } from '../contracts/dead-letter-store.interface.js';
import type { Trouble } from '../worker/error-episodes.js';
import { withDeadline } from '../time/with-deadline.js';
import { within } from '../time/within.js';
import { Periodic } from '../worker/periodic.js';

const START = '0-0';
const POLL_MS = 1_000;

/** What is done with dead letters, and how patiently. */
export interface DeadLetterPlan extends DeadLetterReader {
  readonly from: 'new' | 'all';
  /** Milliseconds one letter may take. One that was not finished is handed out again after twice as long. */
  readonly timeoutMs: number;
  /** Hand-outs in all. */
  readonly attempts: number;
  handle(fed: FedLetter, signal: AbortSignal): Promise<void>;
  /** Hears of a letter that was not finished; `isLast` when it is not handed out again. */
  onFailed(fed: FedLetter, error: unknown, isLast: boolean): void;
}

/**
 * Reads the dead letters of a queue for one handler, one after the other. A letter is finished when the handler has
 * returned: one that throws, takes too long or dies with its process sees it again, here or in another process.
 */
export class DeadLetterLoop {
  private readonly periodic: Periodic;
  private readonly stopping = new AbortController();
  private cursor = START;
  private isKnown = false;

  constructor(
    private readonly plan: DeadLetterPlan,
    private readonly feed: DeadLetterStore,
    trouble: Trouble,
  ) {
    this.periodic = new Periodic(() => this.step(), trouble);
  }

  start(): void {
    this.periodic.start(0);
  }

  /** Waits for the letter that is being handled, no longer than that; then it is handed out again elsewhere. */
  async stop(withinMs: number): Promise<void> {
    await within(this.periodic.stop(), withinMs);
    this.stopping.abort();
    await this.feed.leave(this.plan).catch(() => undefined);
  }

  private async step(): Promise<number> {
    const { timeoutMs } = this.plan;
    // Where the group was and is no more, somebody deleted it: nothing that came since may be left out.
    const from = this.isKnown ? 'all' : this.plan.from;
    const request = { from, idleMs: 2 * timeoutMs, cursor: this.cursor };
    const { taken, cursor } = await this.feed.take(this.plan, request);
    this.cursor = cursor;
    this.isKnown = true;
    if (!taken) return cursor === START ? POLL_MS : 0;
    await this.look(taken);
    return 0;
  }

  private async look(fed: FedLetter): Promise<void> {
    try {
      if (fed.deliveryCount > this.plan.attempts) throw new Error('the process that handled it ended each time');
      await this.handle(fed);
    } catch (error) {
      const isLast = fed.deliveryCount >= this.plan.attempts;
      this.plan.onFailed(fed, error, isLast);
      if (!isLast) return;
    }
    await this.feed.finish(this.plan, fed.entryId);
  }

  private async handle(fed: FedLetter): Promise<void> {
    const { timeoutMs } = this.plan;
    const overdue = new AbortController();
    const signal = AbortSignal.any([overdue.signal, this.stopping.signal]);
    await withDeadline(this.plan.handle(fed, signal), timeoutMs, () => {
      const error = new Error(`the handler took longer than ${timeoutMs} ms`);
      overdue.abort(error);
      return error;
    });
  }
}

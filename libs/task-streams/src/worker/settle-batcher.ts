import type { SettleReply, Settlement, TaskSettler } from '../contracts/broker.interface.js';
import type { Trouble } from './error-episodes.js';
import { pause } from './pause.js';
import { errorPauseMs } from './periodic.js';

const MAX_BATCH = 100;

interface Waiting {
  readonly settlement: Settlement;
  readonly resolve: (reply: SettleReply) => void;
  /** Told once, when the first try did not work. */
  readonly onDelay: () => void;
  tries: number;
}

/**
 * Carries outcomes out in batches: what ends in one turn of the event loop goes in one call. What fails is tried again
 * until it works or the batcher is stopped, because a settlement is safe to repeat and the task is kept by its lease
 * meanwhile.
 */
export class SettleBatcher {
  private waiting: Waiting[] = [];
  private scheduled = false;
  private readonly stopping = new AbortController();

  constructor(
    private readonly queue: string,
    private readonly settler: TaskSettler,
    private readonly trouble: Trouble,
  ) {}

  /** Resolves when the settlement was carried out, or refused for good because the task is not ours. */
  settle(settlement: Settlement, onDelay: () => void): Promise<SettleReply> {
    return new Promise((resolve) => {
      this.waiting.push({ settlement, resolve, onDelay, tries: 0 });
      this.schedule();
    });
  }

  /** What is not settled by now is left to its lease: its promises resolve with `refused`. */
  stop(): void {
    this.stopping.abort();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      const all = this.waiting;
      this.waiting = [];
      for (let i = 0; i < all.length; i += MAX_BATCH) void this.send(all.slice(i, i + MAX_BATCH));
    });
  }

  /** Never rejects. */
  private async send(batch: readonly Waiting[]): Promise<void> {
    let replies: readonly SettleReply[];
    try {
      replies = await this.settler.settle(
        this.queue,
        batch.map((one) => one.settlement),
      );
      this.tell(replies);
    } catch (error) {
      this.trouble.failed(error);
      replies = batch.map(() => ({ kind: 'refused', reply: (error as Error).message }));
    }
    const again = batch.filter((one, i) => !this.answer(one, replies[i] as SettleReply));
    if (again.length > 0) await this.sendLater(again);
  }

  private tell(replies: readonly SettleReply[]): void {
    const refused = replies.find((reply) => reply.kind === 'refused');
    if (refused) this.trouble.failed(new Error(refused.reply));
    else this.trouble.ended();
  }

  private answer(one: Waiting, reply: SettleReply): boolean {
    if (reply.kind === 'refused' && !this.stopping.signal.aborted) {
      if (one.tries === 0) one.onDelay();
      one.tries += 1;
      return false;
    }
    one.resolve(reply);
    return true;
  }

  private async sendLater(again: readonly Waiting[]): Promise<void> {
    await pause(errorPauseMs(Math.max(...again.map((one) => one.tries))), this.stopping.signal);
    await this.send(again);
  }
}

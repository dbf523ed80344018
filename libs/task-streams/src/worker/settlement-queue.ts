import type { SettleReply, Settlement } from '../contracts/work-store.interface.js';
import { replyError } from '../policy/redis-error.js';
import { errorPauseMs } from '../policy/redis-reactions.js';
import type { Trouble } from './error-episodes.js';
import { pause } from '../time/pause.js';

/** A settlement on its way. */
export interface PendingSettlement {
  readonly settlement: Settlement;
  readonly resolve: (reply: SettleReply) => void;
  /** Told once, when the first try did not work. */
  readonly onDelay: () => void;
  tries: number;
}

/**
 * Settlements that wait for the next turn. What fails comes back after a pause, until it works or the queue is stopped:
 * a settlement is safe to repeat, and the task is kept by its lease meanwhile.
 */
export class SettlementQueue {
  private waiting: PendingSettlement[] = [];
  /** Those that failed and have not worked yet. */
  private readonly failing = new Set<PendingSettlement>();
  private readonly stopping = new AbortController();
  /** Called when there is something to settle. */
  onReady: () => void = () => undefined;

  constructor(private readonly trouble: Trouble) {}

  get size(): number {
    return this.waiting.length;
  }

  /** Resolves when the settlement was carried out, or refused for good because the task is not ours. */
  settle(settlement: Settlement, onDelay: () => void): Promise<SettleReply> {
    return new Promise((resolve) => {
      this.waiting.push({ settlement, resolve, onDelay, tries: 0 });
      this.onReady();
    });
  }

  take(max: number): PendingSettlement[] {
    if (this.waiting.length <= max) {
      const all = this.waiting;
      this.waiting = [];
      return all;
    }
    return this.waiting.splice(0, max);
  }

  /** Gives each its reply. */
  answer(batch: readonly PendingSettlement[], replies: readonly SettleReply[]): void {
    const refused: PendingSettlement[] = [];
    let reason = '';
    batch.forEach((one, i) => {
      const reply = replies[i] as SettleReply;
      if (reply.kind !== 'refused') {
        if (one.tries > 0) this.failing.delete(one);
        return one.resolve(reply);
      }
      refused.push(one);
      reason ||= reply.reply;
    });
    if (refused.length > 0) this.fail(refused, replyError(reason));
    // That others are settled says nothing about those that are not.
    else if (batch.length > 0 && this.failing.size === 0) this.trouble.ended();
  }

  /** None of them was settled. */
  fail(batch: readonly PendingSettlement[], error: Error): void {
    if (batch.length === 0) return;
    if (!this.stopping.signal.aborted) return this.delay(batch, error);
    for (const one of batch) one.resolve({ kind: 'refused', reply: error.message });
  }

  /** What is not settled by now is left to its lease: its promises resolve with `refused`. */
  stop(): void {
    this.stopping.abort();
    const left = this.take(Infinity);
    this.fail(left, new Error('the worker has stopped'));
  }

  private delay(again: readonly PendingSettlement[], error: Error): void {
    this.trouble.failed(error);
    for (const one of again) {
      if (one.tries === 0) one.onDelay();
      this.failing.add(one);
      one.tries += 1;
    }
    const tries = Math.max(...again.map((one) => one.tries));
    void pause(errorPauseMs(tries, error), this.stopping.signal).then(() => {
      this.waiting.push(...again);
      if (this.stopping.signal.aborted) this.stop();
      else this.onReady();
    });
  }
}

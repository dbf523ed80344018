import type {
  DeadLetterBatch,
  DeadLetterBatchReply,
  DeadLetterStore,
  RedrivePlan,
  RedriveReply,
} from '../contracts/dead-letter-store.interface.js';
import type { ProducerObserver } from '../watch/producer-observer.interface.js';
import { guardTracing } from '../contracts/guard-tracing.js';
import type { TaskTracing } from '../contracts/task-tracing.interface.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { logRedriven } from './log-redrive.js';

type Batch = DeadLetterBatch<RedrivePlan>;
type BatchReply = DeadLetterBatchReply<RedriveReply>;

/** A letter of many, and how it goes back. */
export interface PlannedRedrive {
  readonly letter: DeadLetter;
  readonly plan: RedrivePlan;
}

/** Sends letters back to their queue, followed by tracing, and tells of those that went. */
export class RedriveSender {
  private readonly tracing: TaskTracing | undefined;

  constructor(
    private readonly store: Pick<DeadLetterStore, 'redrive'>,
    private readonly events: ProducerObserver | undefined,
    tracing: TaskTracing | undefined,
  ) {
    this.tracing = guardTracing(tracing);
  }

  /** A letter that goes alone has a log line of its own. */
  async sendOne(letter: DeadLetter, batch: Batch, isForced: boolean): Promise<BatchReply> {
    const { queue } = letter;
    const send = (): Promise<BatchReply> => this.send(queue, batch, isForced);
    const reply = await (this.tracing ? this.tracing.redrive(letter, send) : send());
    const [first] = reply.replies;
    if (first?.kind === 'moved') logRedriven(queue, first, isMended(batch.items[0]));
    return reply;
  }

  /** A part of many letters. */
  async sendMany(queue: string, batch: DeadLetterBatch<PlannedRedrive>, isForced: boolean): Promise<BatchReply> {
    const plans: Batch = { ...batch, items: batch.items.map(({ plan }) => plan) };
    const send = (): Promise<BatchReply> => this.send(queue, plans, isForced);
    if (this.tracing === undefined) return send();
    return this.tracing.redriveMany(
      batch.items.map(({ letter }) => letter),
      send,
    );
  }

  private async send(queue: string, batch: Batch, isForced: boolean): Promise<BatchReply> {
    const reply = await this.store.redrive(queue, batch, isForced);
    if (!this.events?.isWatched) return reply;
    for (const [i, one] of reply.replies.entries()) {
      if (one.kind !== 'moved') continue;
      const { taskId, name, entryId } = one;
      this.events.observe({ kind: 'redriven', queue, taskId, name, entryId, isMended: isMended(batch.items[i]) });
    }
    return reply;
  }
}

function isMended(plan: RedrivePlan | undefined): boolean {
  return plan?.body !== undefined;
}

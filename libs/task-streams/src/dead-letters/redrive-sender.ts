import { Logger } from '@nestjs/common';
import type {
  DeadLetterBatch,
  DeadLetterBatchReply,
  DeadLetterStore,
  RedrivePlan,
  RedriveReply,
} from '../contracts/dead-letter-store.interface.js';
import type { ProducerObserver } from '../contracts/producer-observer.interface.js';
import type { TaskTracing } from '../contracts/task-tracing.interface.js';
import type { DeadLetter } from '../task/dead-letter.js';

type Batch = DeadLetterBatch<RedrivePlan>;
type BatchReply = DeadLetterBatchReply<RedriveReply>;
type Moved = Extract<RedriveReply, { kind: 'moved' }>;

const logger = new Logger('DeadLetters');

/** Sends letters back to their queue and tells of those that went: each as an event, and one that goes alone as a log line. */
export class RedriveSender {
  constructor(
    private readonly store: Pick<DeadLetterStore, 'redrive'>,
    private readonly events: ProducerObserver | undefined,
    private readonly tracing: TaskTracing | undefined,
  ) {}

  /** A letter that goes alone, which is followed by tracing too. */
  async sendOne(letter: DeadLetter, batch: Batch, isForced: boolean): Promise<BatchReply> {
    const { queue } = letter;
    const send = (): Promise<BatchReply> => this.send(queue, batch, isForced);
    const reply = await (this.tracing ? this.tracing.redrive(letter, send) : send());
    const [first] = reply.replies;
    if (first?.kind === 'moved') log(queue, first, isMended(batch.items[0]));
    return reply;
  }

  async send(queue: string, batch: Batch, isForced: boolean): Promise<BatchReply> {
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

function log(queue: string, { taskId, name, entryId }: Moved, isEdited: boolean): void {
  logger.log(`Task ${name} ${taskId} was redriven${isEdited ? ' with another payload' : ''}`, {
    event: 'task.redriven',
    taskId,
    task: name,
    queue,
    entryId,
    isMended: isEdited,
  });
}

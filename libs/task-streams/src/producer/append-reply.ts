import type { AppendReply, ConfirmedDurability } from '../contracts/inbox-store.interface.js';
import { cureOf, isMemoryFull } from '../policy/redis-error.js';
import {
  EnqueueRefusedError,
  EnqueueUncertainError,
  QueueFullError,
  TaskConflictError,
} from '../task/producer-errors.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import { assertNever } from '../task/task-outcome.js';
import { encodeTaskRef } from '../task/task-ref.js';
import type { TaskState } from '../task/task-state.js';
import type { TaskReceipt } from './enqueue-options.js';

/** What became of one task, and how safe it is. */
export interface AppendedTask {
  /** `undefined` where the broker answered for fewer tasks than it was given. */
  readonly reply: AppendReply | undefined;
  readonly durability: ConfirmedDurability;
}

/**
 * The receipt of a task that was taken in.
 *
 * @throws TaskConflictError, QueueFullError, EnqueueRefusedError for one that was not, EnqueueUncertainError where there is
 *   no answer; what a second try failed with.
 * @internal
 */
export function toReceipt(queue: string, item: EnqueueItem, appended: AppendedTask): TaskReceipt {
  const { reply, durability } = appended;
  switch (reply?.kind) {
    case 'added':
    case 'duplicate':
      return {
        id: item.id,
        queue,
        ref: encodeTaskRef({ queue, id: item.id }),
        entryId: reply.entryId,
        state: reply.state as TaskState,
        duplicate: reply.kind === 'duplicate',
        durability,
      };
    case 'conflict':
      throw new TaskConflictError(item.id, queue);
    case 'full':
      throw new QueueFullError([item.id], {}, { queue, ...reply });
    case 'failed':
      throw reply.error;
    case 'refused':
      if (isMemoryFull(reply.reply)) throw new QueueFullError([item.id]);
      throw new EnqueueRefusedError(item.id, queue, reply.reply, cureOf(reply.reply));
    case undefined:
      throw new EnqueueUncertainError([item.id], 'the broker gave no answer for it');
    default:
      return assertNever(reply);
  }
}

import type {
  AppendBatchReply,
  AppendReply,
  ConfirmedDurability,
  Durability,
  InboxStore,
} from '../../contracts/inbox-store.interface.js';
import type { EnqueueItem } from '../../task/task-outcome.js';
import { decodeAppendReplies, itemArguments } from './append-codec.js';
import type { ChangeLog } from '../tasks/change-log.js';
import { AppendAttempts } from './append-attempts.js';
import { ConfirmationLostError } from './confirmation-lost.js';
import { DurableAppender } from './durable-appender.js';
import type { KnownQueues } from '../queues/known-queues.js';
import type { RedisSession } from '../connection/redis-session.js';
import { runScript, type ScriptArgument } from '../connection/run-script.js';
import { isMoving, sendRefusedAgain } from './send-refused-again.js';

const IN_MEMORY: ConfirmedDurability = { level: 'memory', confirmedBy: undefined, replicas: undefined };

/**
 * Takes tasks in. Tries until its deadline, which is safe because an id is added once; then says whether the tasks can
 * have been added.
 */
export class RedisInbox implements InboxStore {
  private readonly durable: DurableAppender;

  constructor(
    private readonly session: RedisSession,
    private readonly known: KnownQueues,
    private readonly changes: ChangeLog,
  ) {
    this.durable = new DurableAppender(session);
  }

  append(queue: string, items: readonly EnqueueItem[], durability: Durability): Promise<AppendBatchReply> {
    const appended = this.appendInTime(queue, items, durability);
    if (!this.known.knows(queue)) this.known.noteAfter(appended, queue, 'producer');
    return this.changes.hasChanges(queue) ? this.changes.publishAdded(queue, items, appended) : appended;
  }

  private async appendInTime(
    queue: string,
    items: readonly EnqueueItem[],
    durability: Durability,
  ): Promise<AppendBatchReply> {
    const { enqueueTimeoutMs, queues } = this.session.options;
    const deadline = Date.now() + enqueueTimeoutMs;
    const reply = await this.appendOnce(queue, items, durability, enqueueTimeoutMs);
    const waitsForRoom = queues[queue]?.onFull === 'wait';
    return sendRefusedAgain(reply, items, {
      deadline,
      isWanted: (one) => isMoving(one) || (waitsForRoom && one.kind === 'full'),
      append: (refused) => this.appendOnce(queue, refused, durability, Math.max(deadline - Date.now(), 1)),
    });
  }

  private async appendOnce(
    queue: string,
    items: readonly EnqueueItem[],
    durability: Durability,
    timeoutMs: number,
  ): Promise<AppendBatchReply> {
    const { session } = this;
    const ids = items.map((item) => item.id);
    const maxBacklog = session.options.queues[queue]?.maxBacklog ?? 0;
    const { stream } = session.keys(queue);
    const args: ScriptArgument[] = [durability === 'memory' ? 0 : 1, maxBacklog];
    // flatMap would take longer than all the rest of this.
    for (const item of items) args.push(...itemArguments(item));
    if (durability !== 'memory') {
      const attempts = new AppendAttempts(ids, session.route('durable', queue), timeoutMs);
      const isWanted = () => attempts.isTimeLeft;
      let first: readonly AppendReply[] | undefined;
      const sent = await attempts.run(async (client, onSent) => {
        try {
          return await this.durable.append(client, { stream, ids, args, durability, isWanted, onSent });
        } catch (error) {
          if (error instanceof ConfirmationLostError) first ??= error.replies;
          throw error;
        }
      });
      return first ? { ...sent, replies: sent.replies.map((reply, i) => addedEarlier(reply, first?.[i])) } : sent;
    }
    const attempts = new AppendAttempts(ids, session.route('producer', queue), timeoutMs);
    const replies = await attempts.run((client, onSent) => {
      onSent();
      return attempts.inTime(runScript(client, session.script('append'), stream, args));
    });
    return { replies: decodeAppendReplies(replies), durability: IN_MEMORY };
  }
}

/** What this call itself had added, before it had to be sent again, is no duplicate. */
function addedEarlier(reply: AppendReply, first: AppendReply | undefined): AppendReply {
  const isOurs = reply.kind === 'duplicate' && first?.kind === 'added' && first.entryId === reply.entryId;
  return isOurs ? { ...reply, kind: 'added' } : reply;
}

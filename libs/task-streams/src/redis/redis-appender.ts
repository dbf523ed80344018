import type { AppendBatchReply, ConfirmedDurability, Durability, TaskAppender } from '../contracts/broker.interface.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import { decodeAppendReplies, itemArguments } from './append-codec.js';
import { AppendAttempts } from './append-attempts.js';
import { DurableAppender } from './durable-appender.js';
import type { RedisSession } from './redis-session.js';
import { runScript, type ScriptArgument } from './run-script.js';
import { waitForRoom } from './wait-for-room.js';

const IN_MEMORY: ConfirmedDurability = { level: 'memory', confirmedBy: undefined, replicas: undefined };

/**
 * Takes tasks in. Tries until its deadline, which is safe because an id is added once; then says whether the tasks can
 * have been added.
 */
export class RedisAppender implements TaskAppender {
  private readonly durable: DurableAppender;

  constructor(private readonly session: RedisSession) {
    this.durable = new DurableAppender(session);
  }

  async append(queue: string, items: readonly EnqueueItem[], durability: Durability): Promise<AppendBatchReply> {
    const { enqueueTimeoutMs, queues } = this.session.options;
    const deadline = Date.now() + enqueueTimeoutMs;
    const reply = await this.appendOnce(queue, items, durability, enqueueTimeoutMs);
    if (queues[queue]?.onFull !== 'wait') return reply;
    return waitForRoom(reply, items, deadline, (refused) =>
      this.appendOnce(queue, refused, durability, Math.max(deadline - Date.now(), 1)),
    );
  }

  private async appendOnce(
    queue: string,
    items: readonly EnqueueItem[],
    durability: Durability,
    timeoutMs: number,
  ): Promise<AppendBatchReply> {
    const { connections, options } = this.session;
    const ids = items.map((item) => item.id);
    const maxBacklog = options.queues[queue]?.maxBacklog ?? 0;
    const args: ScriptArgument[] = [durability === 'memory' ? 0 : 1, maxBacklog];
    // flatMap would take longer than all the rest of this.
    for (const item of items) args.push(...itemArguments(item));
    const role = durability === 'memory' ? 'producer' : 'durable';
    const attempts = new AppendAttempts(ids, () => connections.get(role), timeoutMs);
    if (durability !== 'memory') {
      return attempts.run((onSent) => this.durable.append(queue, { ids, args, durability, onSent }));
    }
    const replies = await attempts.run((onSent) => {
      onSent();
      const { stream } = this.session.keys(queue);
      return attempts.inTime(runScript(connections.get(role), this.session.script('append'), stream, args));
    });
    return { replies: decodeAppendReplies(replies), durability: IN_MEMORY };
  }
}

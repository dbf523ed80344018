import type { AppendBatchReply, ConfirmedDurability, Durability, TaskAppender } from '../contracts/broker.interface.js';
import { EnqueueUncertainError, QueueFullError, QueueUnavailableError } from '../task/producer-errors.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import { decodeAppendReplies, itemArguments } from './append-codec.js';
import { DurableAppender } from './durable-appender.js';
import type { RedisSession } from './redis-session.js';
import { classifyRedisError } from './reply-errors.js';
import { runScript } from './run-script.js';
import { whenReady } from './when-ready.js';

const IN_MEMORY: ConfirmedDurability = { level: 'memory', confirmedBy: undefined, replicas: undefined };
const RETRY_PAUSE_MS = 50;

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
    const deadline = Date.now() + this.session.options.enqueueTimeoutMs;
    const args = [durability === 'memory' ? 0 : 1, ...items.flatMap(itemArguments)];
    if (durability !== 'memory') return this.durable.append(queue, items, args, durability, deadline);
    const replies = await this.tryUntil(deadline, items, () => this.send(queue, args));
    return { replies: decodeAppendReplies(replies), durability: IN_MEMORY };
  }

  private async send(queue: string, args: readonly (string | number)[]): Promise<unknown> {
    const client = this.session.connections.get('producer');
    return runScript(client, this.session.script('append'), this.session.keys(queue).stream, args);
  }

  private async tryUntil(
    deadline: number,
    items: readonly EnqueueItem[],
    send: () => Promise<unknown>,
  ): Promise<unknown> {
    const ids = items.map((item) => item.id);
    let uncertain = false;
    for (;;) {
      const leftMs = deadline - Date.now();
      const offline = await whenReady(this.session.connections.get('producer'), Math.max(leftMs, 0));
      if (offline) throw failure(ids, uncertain, offline);
      try {
        return await withDeadline(send(), deadline);
      } catch (error) {
        const kind = classifyRedisError(error);
        if (kind === 'full') throw new QueueFullError(ids, { cause: error });
        if (kind === 'configuration' || kind === 'other')
          throw new QueueUnavailableError(ids, text(error), { cause: error });
        uncertain ||= kind === 'connection';
        if (Date.now() + RETRY_PAUSE_MS >= deadline) throw failure(ids, uncertain, error);
        await pause(RETRY_PAUSE_MS);
      }
    }
  }
}

function failure(ids: readonly string[], uncertain: boolean, cause: unknown): Error {
  return uncertain
    ? new EnqueueUncertainError(ids, text(cause), { cause })
    : new QueueUnavailableError(ids, text(cause), { cause });
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function withDeadline<T>(work: Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Redis did not answer in time')), Math.max(deadline - Date.now(), 0));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

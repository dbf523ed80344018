import type { AppendBatchReply, ConfirmedDurability, Durability } from '../contracts/broker.interface.js';
import {
  DurabilityNotConfirmedError,
  DurabilityUnavailableError,
  EnqueueUncertainError,
  QueueFullError,
  QueueUnavailableError,
} from '../task/producer-errors.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import { decodeAppendReplies } from './append-codec.js';
import { confirmDurability, requireDurability, type Confirmation } from './durability.js';
import type { RedisSession } from './redis-session.js';
import { classifyRedisError } from './reply-errors.js';
import { runScript, type ScriptArgument } from './run-script.js';
import { whenReady } from './when-ready.js';

interface Waiting {
  readonly ids: readonly string[];
  readonly run: () => Promise<unknown>;
  readonly resolve: (reply: AppendBatchReply) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends tasks and waits for the disk or the replicas, on a connection of its own: WAIT and WAITAOF speak about the
 * writes of their own connection, and hold it. What arrives while one wait is on goes together into the next.
 */
export class DurableAppender {
  private readonly waiting = new Map<string, Waiting[]>();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly session: RedisSession) {}

  async append(
    queue: string,
    items: readonly EnqueueItem[],
    args: readonly ScriptArgument[],
    durability: Exclude<Durability, 'memory'>,
    deadline: number,
  ): Promise<AppendBatchReply> {
    const ids = items.map((item) => item.id);
    const confirmation = await this.prepare(ids, durability, deadline);
    const stream = this.session.keys(queue).stream;
    const run = () => runScript(this.client(), this.session.script('append'), stream, args);
    return new Promise((resolve, reject) => this.join(confirmation, { ids, run, resolve, reject }));
  }

  private client() {
    return this.session.connections.get('durable');
  }

  private async prepare(
    ids: readonly string[],
    durability: Exclude<Durability, 'memory'>,
    deadline: number,
  ): Promise<Confirmation> {
    const offline = await whenReady(this.client(), Math.max(deadline - Date.now(), 0));
    if (offline) throw new QueueUnavailableError(ids, offline.message, { cause: offline });
    try {
      return await requireDurability(this.client(), durability);
    } catch (error) {
      if (error instanceof DurabilityUnavailableError) throw error;
      throw new QueueUnavailableError(ids, (error as Error).message, { cause: error });
    }
  }

  private join(confirmation: Confirmation, waiting: Waiting): void {
    const group = this.waiting.get(confirmation.name);
    if (group) {
      group.push(waiting);
      return;
    }
    this.waiting.set(confirmation.name, [waiting]);
    this.running = this.running.then(() => this.flush(confirmation));
  }

  /** Never rejects: each of the group gets its own answer. */
  private async flush(confirmation: Confirmation): Promise<void> {
    const group = this.waiting.get(confirmation.name) ?? [];
    this.waiting.delete(confirmation.name);
    const sent = await Promise.all(group.map((one) => settled(one.run())));
    // Only now: a script the server did not know was sent a second time, and a wait before it would confirm nothing.
    const confirmed = await settled(confirmDurability(this.client(), confirmation));
    group.forEach((one, i) => answer(one, sent[i] as Settled<unknown>, confirmed, confirmation));
  }
}

type Settled<T> = { readonly value: T } | { readonly error: unknown };

async function settled<T>(work: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work };
  } catch (error) {
    return { error };
  }
}

function answer(
  one: Waiting,
  sent: Settled<unknown>,
  confirmed: Settled<ConfirmedDurability>,
  confirmation: Confirmation,
): void {
  if ('error' in sent) {
    one.reject(sendError(one.ids, sent.error));
  } else if ('error' in confirmed) {
    const cause = confirmed.error;
    one.reject(new DurabilityNotConfirmedError(one.ids, confirmation.name, (cause as Error).message, { cause }));
  } else {
    one.resolve({ replies: decodeAppendReplies(sent.value), durability: confirmed.value });
  }
}

function sendError(ids: readonly string[], error: unknown): Error {
  const kind = classifyRedisError(error);
  const text = (error as Error).message;
  if (kind === 'full') return new QueueFullError(ids, { cause: error });
  return kind === 'connection'
    ? new EnqueueUncertainError(ids, text, { cause: error })
    : new QueueUnavailableError(ids, text, { cause: error });
}

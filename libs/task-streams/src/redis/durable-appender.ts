import type { AppendBatchReply, ConfirmedDurability, Durability } from '../contracts/broker.interface.js';
import { DurabilityNotConfirmedError } from '../task/producer-errors.js';
import { decodeAppendReplies } from './append-codec.js';
import { confirmDurability, requireDurability, type Confirmation } from './durability.js';
import { holdOn } from './hold.js';
import type { RedisSession } from './redis-session.js';
import { runScript, type ScriptArgument } from './run-script.js';
import { withoutSecrets } from './without-secrets.js';

/** How long a fail-over is waited for by those whose turn it is. */
const HOLD_TIMEOUT_MS = 2_000;

/** Tasks of one caller. */
export interface DurableAppend {
  readonly ids: readonly string[];
  readonly args: readonly ScriptArgument[];
  readonly durability: Exclude<Durability, 'memory'>;
  /** Called before the first byte of a task is sent. */
  readonly onSent: () => void;
}

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

  /**
   * @throws DurabilityUnavailableError, DurabilityNotConfirmedError, or what Redis or the connection answered to the tasks.
   */
  async append(queue: string, request: DurableAppend): Promise<AppendBatchReply> {
    const { ids, args, durability, onSent } = request;
    const confirmation = await requireDurability(this.client(), durability, this.session.detectServer);
    const stream = this.session.keys(queue).stream;
    const run = () => {
      onSent();
      return runScript(this.client(), this.session.script('append'), stream, args);
    };
    return new Promise((resolve, reject) => this.join(confirmation, { ids, run, resolve, reject }));
  }

  private client() {
    return this.session.connections.get('durable');
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
    const held = await holdOn(this.client())?.wait(HOLD_TIMEOUT_MS);
    if (held) return group.forEach((one) => one.reject(held));
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
    return { error: withoutSecrets(error) };
  }
}

function answer(
  one: Waiting,
  sent: Settled<unknown>,
  confirmed: Settled<ConfirmedDurability>,
  confirmation: Confirmation,
): void {
  if ('error' in sent) {
    one.reject(sent.error);
  } else if ('error' in confirmed) {
    const cause = confirmed.error;
    one.reject(new DurabilityNotConfirmedError(one.ids, confirmation.name, (cause as Error).message, { cause }));
  } else {
    one.resolve({ replies: decodeAppendReplies(sent.value), durability: confirmed.value });
  }
}

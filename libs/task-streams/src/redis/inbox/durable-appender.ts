import type { AppendBatchReply, ConfirmedDurability } from '../../contracts/inbox-store.interface.js';
import { classifyRedisError } from '../../policy/redis-error.js';
import { DurabilityNotConfirmedError } from '../../task/producer-errors.js';
import { decodeAppendReplies } from './append-codec.js';
import { ConfirmationLostError } from './confirmation-lost.js';
import { epochOf, isOpen } from '../connection/connection-epoch.js';
import {
  confirmDurability,
  nameOf,
  NotConfirmedError,
  requireDurability,
  type AskedDurability,
  type Confirmation,
} from './durability.js';
import { holdOn } from '../connection/hold.js';
import type { RedisClient } from '../connection/redis-client.js';
import type { RedisSession } from '../connection/redis-session.js';
import { runScript, type ScriptArgument } from '../connection/run-script.js';
import { withoutSecrets } from '../connection/without-secrets.js';

/** How long a fail-over is waited for by those whose turn it is. */
const HOLD_TIMEOUT_MS = 2_000;

/** Tasks of one caller. */
export interface DurableAppend {
  readonly stream: string;
  readonly ids: readonly string[];
  readonly args: readonly ScriptArgument[];
  readonly durability: AskedDurability;
  /** Whether the caller still waits. What it does not wait for any more is not sent. */
  readonly isWanted: () => boolean;
  /** Called before the first byte of a task is sent. */
  readonly onSent: () => void;
}

interface Waiting extends DurableAppend {
  readonly resolve: (reply: AppendBatchReply) => void;
  readonly reject: (error: unknown) => void;
}

/** What waits for one connection. */
interface Lane {
  readonly waiting: Map<string, Waiting[]>;
  running: Promise<void>;
}

/**
 * Appends tasks and waits for the disk or the replicas, on a connection of its own: WAIT and WAITAOF speak about the
 * writes of their own connection, and hold it. What arrives while one wait is on goes together into the next. Each
 * connection has a lane of its own: on a Cluster a master without its replica holds up no other.
 */
export class DurableAppender {
  private readonly lanes = new WeakMap<RedisClient, Lane>();

  constructor(private readonly session: RedisSession) {}

  /**
   * @throws DurabilityUnavailableError, DurabilityNotConfirmedError, ConfirmationLostError, or what Redis or the connection
   *   answered to the tasks.
   */
  append(client: RedisClient, request: DurableAppend): Promise<AppendBatchReply> {
    return new Promise((resolve, reject) => this.join(client, { ...request, resolve, reject }));
  }

  private join(client: RedisClient, waiting: Waiting): void {
    let lane = this.lanes.get(client);
    if (!lane) this.lanes.set(client, (lane = { waiting: new Map(), running: Promise.resolve() }));
    const { waiting: groups } = lane;
    const name = JSON.stringify(waiting.durability);
    const group = groups.get(name);
    if (group) {
      group.push(waiting);
      return;
    }
    groups.set(name, [waiting]);
    lane.running = lane.running.then(() => {
      const members = groups.get(name) ?? [];
      groups.delete(name);
      return this.flush(client, waiting.durability, members);
    });
  }

  /** Never rejects: each of the group gets its own answer. */
  private async flush(client: RedisClient, durability: AskedDurability, members: readonly Waiting[]): Promise<void> {
    const held = await holdOn(client)?.wait(HOLD_TIMEOUT_MS);
    const epoch = epochOf(client);
    const required = held
      ? { error: held }
      : await settled(requireDurability(client, durability, this.session.detectServer));
    if ('error' in required) {
      for (const one of members) one.reject(required.error);
      return;
    }
    const sent = await Promise.all(members.map((one) => settled(this.send(client, epoch, one))));
    const confirmed = await settled(this.confirm(client, epoch, required.value));
    members.forEach((one, i) => answer(one, sent[i] as Settled<unknown>, confirmed));
  }

  private async send(client: RedisClient, epoch: number, { stream, args, isWanted, onSent }: Waiting) {
    if (!isWanted()) throw new Error('its turn did not come in time');
    if (!isOpen(client, epoch)) throw new Error('the connection broke before it was sent');
    onSent();
    return runScript(client, this.session.script('append'), stream, args);
  }

  /** Only the connection that carried the tasks can be asked about them; any other one has nothing to wait for, and says yes. */
  private async confirm(client: RedisClient, epoch: number, confirmation: Confirmation): Promise<ConfirmedDurability> {
    // After the answers to the tasks: a script the server did not know was sent a second time.
    if (!isOpen(client, epoch)) throw new BrokenConnection();
    const confirmed = await confirmDurability(client, confirmation, this.session.detectServer);
    if (epochOf(client) !== epoch) throw new BrokenConnection();
    return confirmed;
  }
}

class BrokenConnection extends Error {
  override readonly message = 'Connection is closed.';
}

type Settled<T> = { readonly value: T } | { readonly error: unknown };

async function settled<T>(work: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work };
  } catch (error) {
    return { error: withoutSecrets(error) };
  }
}

function answer(one: Waiting, sent: Settled<unknown>, confirmed: Settled<ConfirmedDurability>): void {
  if ('error' in sent) return one.reject(sent.error);
  const replies = decodeAppendReplies(sent.value);
  if ('value' in confirmed) return one.resolve({ replies, durability: confirmed.value });
  const cause = confirmed.error as Error;
  const wanted = nameOf(one.durability);
  one.reject(
    isGone(cause)
      ? new ConfirmationLostError(replies, wanted, cause)
      : new DurabilityNotConfirmedError(one.ids, wanted, cause.message, { cause }),
  );
}

/** Whether there is another server, or another connection, to send the tasks to. */
function isGone(error: Error): boolean {
  return (
    !(error instanceof NotConfirmedError) &&
    ['connection', 'topology', 'transient', 'cluster'].includes(classifyRedisError(error))
  );
}

import type {
  ClaimReply,
  Delivery,
  LeaseRenewal,
  LookReply,
  QueueCondition,
  ReclaimReply,
  Settlement,
  TurnReply,
  WorkerLoad,
  WorkStore,
} from '../../contracts/work-store.interface.js';
import { replyError } from '../../policy/redis-error.js';
import { decodeCancelMark, type CancelRequest } from '../../task/cancel-request.js';
import { storedDeliveryCount, withoutBlame, type Trial } from '../../task/delivery-count.js';
import { LIBRARY_VERSION } from '../../task/library-version.js';
import { decodeDeliveries } from './decode-delivery.js';
import { FORMAT_VERSION, OLDEST_FORMAT_VERSION } from '../server/format-version.js';
import type { KnownQueues } from '../queues/known-queues.js';
import { GROUP } from '../connection/queue-keys.js';
import { ReaderConnection } from '../connection/reader-connection.js';
import type { RedisClient } from '../connection/redis-client.js';
import type { RedisSession } from '../connection/redis-session.js';
import { settleArguments } from './settle-arguments.js';
import {
  decodeMarks,
  decodeSettleReplies,
  withoutMark,
  type LookRow,
  type RawTurn,
  type ReclaimRow,
} from './work-codec.js';

const RECOVER_SCAN_COUNT = 1_000;
const PROMOTE_BATCH = 100;

/**
 * The most of a lease that a wait takes. The lease of what it brings is counted from when it began: then most of it is left.
 */
const WAIT_PART = 1 / 4;

/** Delivers tasks, renews their leases, reclaims and settles them. */
export class RedisWork implements WorkStore {
  private readonly readers = new Map<string, ReaderConnection>();
  private readonly startedAt = Date.now();
  private readonly waitS: number;

  constructor(
    private readonly session: RedisSession,
    private readonly known: KnownQueues,
  ) {
    const { timing, leaseMs } = session.options;
    this.waitS = Math.min(timing.blockMs, leaseMs * WAIT_PART) / 1_000;
  }

  ensure(queue: string): Promise<QueueCondition> {
    const ensured = this.ensureGroup(queue);
    if (!this.known.knows(queue)) this.known.noteAfter(ensured, queue, 'command');
    return ensured;
  }

  /** The delivery is sent behind the wait, on the same connection, so that Redis runs it the moment the wait is over. */
  async wait(queue: string): Promise<ClaimReply> {
    const { wake } = this.session.keys(queue);
    const claimed = await this.reader(queue).block(async (client) => {
      const waiting = client.blpop(wake, this.waitS);
      const [turned, waited] = await Promise.allSettled([this.turnOn(client, queue, [], 1), waiting]);
      if (waited.status === 'rejected') throw waited.reason;
      if (turned.status === 'rejected') throw turned.reason;
      return turned.value;
    });
    if (claimed?.fetchError) throw claimed.fetchError;
    return claimed ?? { deliveries: [], blocked: [], sentAt: performance.now() };
  }

  async recover(queue: string, known: ReadonlySet<string>, max: number): Promise<ClaimReply> {
    const { stream } = this.session.keys(queue);
    const { name } = this.session.identity;
    const rows = (await this.session.command(queue, (client) =>
      client.xpending(stream, GROUP, '-', '+', RECOVER_SCAN_COUNT, name),
    )) as readonly (readonly [string, string, number, number])[];
    const unseen = rows.filter(([id]) => !known.has(id)).map(([id]) => id);
    const reply = await this.claim(queue, unseen.slice(0, max));
    return { ...reply, deliveries: reply.deliveries.map(withoutBlame) };
  }

  async interrupt(queue: string): Promise<void> {
    const reader = this.readers.get(queue);
    if (reader && !(await reader.unblock())) reader.drop();
  }

  turn(queue: string, settlements: readonly Settlement[], max: number): Promise<TurnReply> {
    return this.session.command(queue, (client) => this.turnOn(client, queue, settlements, max));
  }

  async renew(queue: string, leases: readonly LeaseRenewal[], load?: WorkerLoad): Promise<(boolean | CancelRequest)[]> {
    const args = leases.flatMap(({ owner, keyScope }) => [owner.entryId, owner.token, keyScope ?? '']);
    const { identity, options } = this.session;
    const replies = (await this.session.run('renew', queue, [
      identity.name,
      options.leaseMs,
      this.heartbeat(load),
      ...args,
    ])) as unknown[];
    // An error on one key is no proof that the task was taken over: it is renewed again at the next turn.
    return replies.map((reply) => (Array.isArray(reply) ? decodeCancelMark(reply[0] as string) : reply !== 0));
  }

  async prune(queue: string, idleMs: number): Promise<number> {
    return (await this.session.run('prune', queue, [this.session.identity.name, idleMs])) as number;
  }

  async begin(suspect: Delivery, trial: Trial): Promise<boolean> {
    const count = storedDeliveryCount({ ...suspect, trial });
    const args = [this.session.identity.name, suspect.entryId, suspect.token, count];
    return (await this.session.run('begin', suspect.queue, args)) === 1;
  }

  async reclaim(queue: string, max: number, cursor: string): Promise<ReclaimReply> {
    const { identity, options } = this.session;
    const claim = identity.nextClaim();
    const sentAt = performance.now();
    const { leaseMs, crashLimit, retention } = options;
    const suspectCount = Math.max(crashLimit, 2);
    const args = [identity.name, max, claim, leaseMs, cursor, identity.name, suspectCount, retention.deadLettersMs];
    const reply = (await this.session.run('reclaim', queue, args)) as ReclaimRow;
    const [now, rows, blocked, next, deletedCount, graceMs, previousOwners] = reply;
    const deliveries = decodeDeliveries({ queue, claim, now }, rows).map((delivery, i) =>
      previousOwners[i] === identity.name ? withoutBlame(delivery) : delivery,
    );
    return { deliveries, blocked, sentAt, cursor: next, deletedCount, graceMs, previousOwners };
  }

  async look(queue: string): Promise<LookReply> {
    const { identity, options } = this.session;
    const args = [PROMOTE_BATCH, identity.name, options.retention.deadLettersMs];
    const reply = (await this.session.run('promote', queue, args)) as LookRow;
    const [count, next, blocked, paused, marks] = reply;
    return {
      promotedCount: count,
      nextInMs: next === '-1' ? undefined : Number(next),
      blocked: blocked === '' ? undefined : blocked,
      isPaused: paused === 1,
      cancels: decodeMarks(marks),
    };
  }

  async leave(queue: string): Promise<void> {
    // A worker that cannot say goodbye leaves an idle consumer behind, which costs less than a stop that hangs.
    if (!this.session.route('command', queue).ready()) return;
    await this.session.run('leave', queue, [this.session.identity.name]);
  }

  private async ensureGroup(queue: string): Promise<QueueCondition> {
    const [, paused] = (await this.session.run('ensure', queue, [OLDEST_FORMAT_VERSION, FORMAT_VERSION])) as [
      number,
      number,
    ];
    return { isPaused: paused === 1 };
  }

  /** What this worker says of itself. */
  private heartbeat(load: WorkerLoad | undefined): string {
    if (load === undefined) return '';
    const { running, concurrency } = load;
    const { leaseMs } = this.session.options;
    return JSON.stringify({ version: LIBRARY_VERSION, running, concurrency, leaseMs, startedAt: this.startedAt });
  }

  private async turnOn(
    client: RedisClient,
    queue: string,
    settlements: readonly Settlement[],
    max: number,
  ): Promise<TurnReply> {
    const { identity, options } = this.session;
    const claim = identity.nextClaim();
    const sentAt = performance.now();
    const { args, places } = settleArguments(settlements, options.prefix);
    const raw = await this.session.runOn(client, 'turn', queue, [identity.name, claim, max, ...args]);
    const [replies, now, rows, error, droppedCount, blocked] = raw as RawTurn;
    return {
      replies: decodeSettleReplies(replies, places),
      deliveries: decodeDeliveries({ queue, claim, now }, rows),
      blocked,
      sentAt,
      droppedCount,
      fetchError: error === '' ? undefined : replyError(withoutMark(error)),
    };
  }

  private async claim(queue: string, entryIds: readonly string[]): Promise<ClaimReply> {
    const sentAt = performance.now();
    if (entryIds.length === 0) return { deliveries: [], blocked: [], sentAt };
    const claim = this.session.identity.nextClaim();
    const args = [this.session.identity.name, claim, ...entryIds];
    const [now, rows, blocked] = (await this.session.run('claim', queue, args)) as [string, unknown, string[]];
    return { deliveries: decodeDeliveries({ queue, claim, now }, rows), blocked, sentAt };
  }

  private reader(queue: string): ReaderConnection {
    let reader = this.readers.get(queue);
    if (!reader) {
      reader = new ReaderConnection(this.session.route('reader', queue), this.session.connections.servers);
      this.readers.set(queue, reader);
    }
    return reader;
  }
}

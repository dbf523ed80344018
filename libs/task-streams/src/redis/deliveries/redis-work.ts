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
import { LIBRARY_VERSION } from '../../task/library-version.js';
import { decodeDeliveries, type KnownFields } from './decode-delivery.js';
import { FORMAT_VERSION } from '../server/format-version.js';
import type { KnownQueues } from '../queues/known-queues.js';
import { GROUP } from '../connection/queue-keys.js';
import { ReaderConnection } from '../connection/reader-connection.js';
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

type StreamReply = readonly (readonly [string, readonly (readonly [string, readonly string[]])[]])[] | null;

/** Delivers tasks, renews their leases, reclaims and settles them. */
export class RedisWork implements WorkStore {
  private readonly readers = new Map<string, ReaderConnection>();
  private readonly startedAt = Date.now();

  constructor(
    private readonly session: RedisSession,
    private readonly known: KnownQueues,
  ) {}

  ensure(queue: string): Promise<QueueCondition> {
    const ensured = this.ensureGroup(queue);
    if (!this.known.knows(queue)) this.known.noteAfter(ensured, queue, 'command');
    return ensured;
  }

  async wait(queue: string, max: number): Promise<ClaimReply> {
    const { blockMs } = this.session.options.timing;
    const stream = this.session.keys(queue).stream;
    // prettier-ignore
    const reply = (await this.reader(queue).block((client) => client.xreadgroup(
      'GROUP', GROUP, this.session.identity.name, 'COUNT', max, 'BLOCK', blockMs, 'STREAMS', stream, '>',
    ))) as StreamReply | undefined;
    const entries = new Map(reply?.[0]?.[1]);
    return this.claim(queue, [...entries.keys()], entries);
  }

  async recover(queue: string, known: ReadonlySet<string>, max: number): Promise<ClaimReply> {
    const { stream } = this.session.keys(queue);
    const { name } = this.session.identity;
    const rows = (await this.session.command(queue, (client) =>
      client.xpending(stream, GROUP, '-', '+', RECOVER_SCAN_COUNT, name),
    )) as readonly (readonly [string, string, number, number])[];
    const unseen = rows.filter(([id]) => !known.has(id)).map(([id]) => id);
    return this.claim(queue, unseen.slice(0, max));
  }

  async interrupt(queue: string): Promise<void> {
    const reader = this.readers.get(queue);
    if (reader && !(await reader.unblock())) reader.drop();
  }

  async turn(queue: string, settlements: readonly Settlement[], max: number): Promise<TurnReply> {
    const { identity, options } = this.session;
    const claim = identity.nextClaim();
    const sentAt = performance.now();
    const { args, places } = settleArguments(settlements, options.prefix);
    const raw = await this.session.run('turn', queue, [identity.name, claim, max, ...args]);
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

  async begin(suspect: Delivery, deliveryCount: number): Promise<boolean> {
    const args = [this.session.identity.name, suspect.entryId, suspect.token, deliveryCount];
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
    const deliveries = decodeDeliveries({ queue, claim, now }, rows);
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
    const [, paused] = (await this.session.run('ensure', queue, [FORMAT_VERSION])) as [number, number];
    return { isPaused: paused === 1 };
  }

  /** What this worker says of itself. */
  private heartbeat(load: WorkerLoad | undefined): string {
    if (load === undefined) return '';
    const { running, concurrency } = load;
    const { leaseMs } = this.session.options;
    return JSON.stringify({ version: LIBRARY_VERSION, running, concurrency, leaseMs, startedAt: this.startedAt });
  }

  /** @param fields Those that are here already: they do not travel again. */
  private async claim(queue: string, entryIds: readonly string[], fields?: KnownFields): Promise<ClaimReply> {
    const sentAt = performance.now();
    if (entryIds.length === 0) return { deliveries: [], blocked: [], sentAt };
    const claim = this.session.identity.nextClaim();
    const args = [this.session.identity.name, claim, fields ? 1 : 0, ...entryIds];
    const [now, rows, blocked] = (await this.session.run('claim', queue, args)) as [string, unknown, string[]];
    return { deliveries: decodeDeliveries({ queue, claim, now }, rows, fields), blocked, sentAt };
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

import type { Delivery, SettleReply, Settlement, TaskTurner, TurnReply } from '../contracts/broker.interface.js';
import { replyError } from '../policy/redis-error.js';
import { decodeDeliveries } from './decode-delivery.js';
import type { RedisSession } from './redis-session.js';
import { settleArguments } from './settle-arguments.js';

type RawTurn = readonly [
  /** Their number where each is `done`. */
  replies: number | readonly string[],
  now: string,
  deliveries: unknown,
  error: string,
  droppedCount: number,
  blocked: readonly string[],
];

/** Settles and hands out in one call. */
export class RedisTurner implements TaskTurner {
  constructor(private readonly session: RedisSession) {}

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

  /** A turn that only hands out. */
  async read(queue: string, max: number): Promise<Delivery[]> {
    const { deliveries, fetchError } = await this.turn(queue, [], max);
    if (fetchError) throw fetchError;
    return [...deliveries];
  }

  /** A turn that only settles. */
  async settle(queue: string, settlements: readonly Settlement[]): Promise<readonly SettleReply[]> {
    return (await this.turn(queue, settlements, 0)).replies;
  }
}

const DONE: SettleReply = Object.freeze({ kind: 'done' });

function decodeSettleReplies(replies: RawTurn[0], places: readonly number[] | undefined): SettleReply[] {
  if (typeof replies === 'number') return Array<SettleReply>(replies).fill(DONE);
  const decoded = replies.map(decodeSettleReply);
  return places ? places.map((place) => decoded[place] as SettleReply) : decoded;
}

function decodeSettleReply(reply: string): SettleReply {
  if (reply.startsWith(MARK)) return { kind: 'refused', reply: withoutMark(reply) };
  if (reply.startsWith(FOLLOW_UP)) return { kind: 'follow-up-refused', why: reply.slice(FOLLOW_UP.length) };
  return { kind: reply as PlainReply };
}

type PlainReply = Exclude<SettleReply['kind'], 'refused' | 'follow-up-refused'>;

const MARK = 'error:';
const FOLLOW_UP = 'follow-up:';

function withoutMark(text: string): string {
  return text.slice(MARK.length);
}

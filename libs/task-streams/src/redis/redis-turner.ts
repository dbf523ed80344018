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
];

/** Settles and hands out in one call. */
export class RedisTurner implements TaskTurner {
  constructor(private readonly session: RedisSession) {}

  async turn(queue: string, settlements: readonly Settlement[], max: number): Promise<TurnReply> {
    const { identity, options } = this.session;
    const claim = identity.nextClaim();
    const { args, places } = settleArguments(settlements, options.prefix);
    const raw = await this.session.run('turn', queue, [identity.name, claim, options.leaseMs, max, ...args]);
    const [replies, now, rows, error, droppedCount] = raw as RawTurn;
    return {
      replies: decodeSettleReplies(replies, places),
      deliveries: decodeDeliveries(queue, claim, now, rows),
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
  return reply.startsWith(MARK)
    ? { kind: 'refused', reply: withoutMark(reply) }
    : { kind: reply as Exclude<SettleReply['kind'], 'refused'> };
}

const MARK = 'error:';

function withoutMark(text: string): string {
  return text.slice(MARK.length);
}

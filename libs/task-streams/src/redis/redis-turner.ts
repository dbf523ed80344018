import type { Delivery, SettleReply, Settlement, TaskTurner, TurnReply } from '../contracts/broker.interface.js';
import { replyError } from '../policy/redis-error.js';
import { decodeDeliveries } from './decode-delivery.js';
import type { RedisSession } from './redis-session.js';
import type { ScriptArgument } from './run-script.js';
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
    const args: ScriptArgument[] = [identity.name, claim, options.leaseMs, max];
    // flatMap would take longer than all the rest of this.
    for (const settlement of settlements) args.push(...settleArguments(settlement, options.prefix));
    const [replies, now, rows, error, droppedCount] = (await this.session.run('turn', queue, args)) as RawTurn;
    return {
      replies: typeof replies === 'number' ? Array<SettleReply>(replies).fill(DONE) : replies.map(decodeSettleReply),
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

function decodeSettleReply(reply: string): SettleReply {
  return reply.startsWith(MARK)
    ? { kind: 'refused', reply: withoutMark(reply) }
    : { kind: reply as Exclude<SettleReply['kind'], 'refused'> };
}

const MARK = 'error:';

function withoutMark(text: string): string {
  return text.slice(MARK.length);
}

import type { SettleReply, Settlement, TaskSettler } from '../contracts/broker.interface.js';
import type { RedisSession } from './redis-session.js';
import { settleArguments } from './settle-arguments.js';

/** Carries outcomes out. */
export class RedisSettler implements TaskSettler {
  constructor(private readonly session: RedisSession) {}

  async settle(queue: string, settlements: readonly Settlement[]): Promise<SettleReply[]> {
    const args = settlements.flatMap((settlement) => settleArguments(settlement, this.session.options.prefix));
    const replies = await this.session.run('settle', queue, [this.session.identity.name, ...args]);
    return (replies as readonly string[]).map(decodeSettleReply);
  }
}

function decodeSettleReply(reply: string): SettleReply {
  return reply.startsWith('error:')
    ? { kind: 'refused', reply: reply.slice('error:'.length) }
    : { kind: reply as 'done' | 'already' | 'fenced' | 'gone' };
}

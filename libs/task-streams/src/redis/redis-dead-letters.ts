import type {
  DeadLetterPage,
  DeadLetterStore,
  RedrivePlan,
  RedriveReply,
} from '../contracts/dead-letter-store.interface.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { decodeDeadLetter } from './decode-dead-letter.js';
import type { RedisSession } from './redis-session.js';

/** Keeps what was set aside. */
export class RedisDeadLetters implements DeadLetterStore {
  constructor(private readonly session: RedisSession) {}

  async countDeadLetters(queue: string): Promise<number> {
    return this.session.ask((client) => client.xlen(this.session.keys(queue).dead));
  }

  async listDeadLetters(queue: string, max: number, cursor: string | undefined): Promise<DeadLetterPage> {
    const { dead } = this.session.keys(queue);
    const from = cursor === undefined ? '-' : `(${cursor}`;
    const entries = await this.session.ask((client) => client.xrange(dead, from, '+', 'COUNT', max));
    const letters = entries.map(([entryId, fields]) => decodeDeadLetter(queue, entryId, fields));
    return { letters, cursor: entries.length === max ? entries.at(-1)?.[0] : undefined };
  }

  async getDeadLetter(queue: string, entryId: string): Promise<DeadLetter | undefined> {
    const { dead } = this.session.keys(queue);
    const [entry] = await this.session.ask((client) => client.xrange(dead, entryId, entryId));
    return entry && decodeDeadLetter(queue, entry[0], entry[1]);
  }

  async redrive(queue: string, plan: RedrivePlan): Promise<RedriveReply> {
    const { entryId, meta, body } = plan;
    const args = [entryId, JSON.stringify(meta), body ? 1 : 0, body?.json ?? '', body?.hash ?? ''];
    const [kind, newEntryId = '', taskId = '', name = ''] = (await this.session.run(
      'redrive',
      queue,
      args,
    )) as string[];
    return kind === 'redriven'
      ? { kind, entryId: newEntryId, taskId, name }
      : { kind: kind === 'gone' ? 'gone' : 'unreadable' };
  }
}

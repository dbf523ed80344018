import type {
  DeadLetterPage,
  DeadLetterRange,
  DeadLetterTotals,
  FailureGroup,
  RawDeadLetter,
} from '../contracts/dead-letter-store.interface.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { decodeDeadLetter } from './decode-dead-letter.js';
import { decodeFailureGroup } from './decode-failure-group.js';
import type { RedisSession } from './redis-session.js';

/** Reads what was set aside. */
export class RedisDeadLetters {
  constructor(private readonly session: RedisSession) {}

  async countDeadLetters(queue: string): Promise<number> {
    return this.session.ask(queue, (client) => client.xlen(this.session.keys(queue).dead));
  }

  async listDeadLetters(
    queue: string,
    max: number,
    cursor: string | undefined,
    range: DeadLetterRange = {},
  ): Promise<DeadLetterPage> {
    const raw = await this.readRawDeadLetters(queue, max, cursor, range);
    return { letters: raw.map(({ letter }) => letter), cursor: raw.length === max ? raw.at(-1)?.entryId : undefined };
  }

  async readRawDeadLetters(
    queue: string,
    max: number,
    cursor: string | undefined,
    range: DeadLetterRange = {},
  ): Promise<readonly RawDeadLetter[]> {
    const { dead } = this.session.keys(queue);
    const { from = '-', to = '+', isNewestFirst } = range;
    const after = cursor === undefined ? undefined : `(${cursor}`;
    const entries = await this.session.ask(queue, (client) =>
      isNewestFirst
        ? client.xrevrangeBuffer(dead, after ?? to, from, 'COUNT', max)
        : client.xrangeBuffer(dead, after ?? from, to, 'COUNT', max),
    );
    return entries.map(([id, fields]) => this.raw(queue, id.toString(), fields));
  }

  async getDeadLetter(queue: string, entryId: string): Promise<DeadLetter | undefined> {
    const [raw] = await this.readRawDeadLetters(queue, 1, undefined, { from: entryId, to: entryId });
    return raw?.letter;
  }

  async listFailureGroups(queue: string): Promise<readonly FailureGroup[]> {
    const groups = await this.session.ask(queue, (client) => client.hgetall(this.session.keys(queue).deadGroups));
    return Object.entries(groups).flatMap(([id, text]) => decodeFailureGroup(id, text) ?? []);
  }

  async readDeadLetterTotals(queue: string): Promise<DeadLetterTotals> {
    const counts = await this.session.ask(queue, (client) => client.hgetall(this.session.keys(queue).deadCounts));
    const count = (name: string) => Number(counts[name] ?? 0);
    return {
      added: count('added'),
      imported: count('imported'),
      redriven: count('redriven'),
      discarded: count('discarded'),
      dropped: count('dropped'),
    };
  }

  private raw(queue: string, entryId: string, fields: readonly Buffer[]): RawDeadLetter {
    return { entryId, fields, letter: decodeDeadLetter(queue, entryId, fields) };
  }
}

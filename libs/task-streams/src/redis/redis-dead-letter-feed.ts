import type {
  DeadLetterFeed,
  DeadLetterReader,
  FedLetter,
  FeedRequest,
} from '../contracts/dead-letter-feed.interface.js';
import type { RedisDeadLetters } from './redis-dead-letters.js';
import type { RedisSession } from './redis-session.js';

/** Hands dead letters out, by a consumer group of the dead-letter stream for each reader. */
export class RedisDeadLetterFeed implements DeadLetterFeed {
  constructor(
    private readonly session: RedisSession,
    private readonly letters: Pick<RedisDeadLetters, 'getDeadLetter'>,
  ) {}

  async takeDeadLetter(
    reader: DeadLetterReader,
    { from, idleMs, cursor }: FeedRequest,
  ): Promise<{ readonly taken: FedLetter | undefined; readonly cursor: string }> {
    const { queue, group } = reader;
    const args = [group, this.session.identity.name, idleMs, cursor, from === 'new' ? '$' : '0'];
    const [next, entryId, deliveryCount] = (await this.session.run('feed', queue, args)) as [string, string, number];
    const letter = entryId === '' ? undefined : await this.letters.getDeadLetter(queue, entryId);
    if (letter) return { taken: { letter, entryId, deliveryCount }, cursor: next };
    // Redriven or discarded between the two calls.
    if (entryId !== '') await this.finishDeadLetter(reader, entryId);
    return { taken: undefined, cursor: next };
  }

  async finishDeadLetter({ queue, group }: DeadLetterReader, entryId: string): Promise<void> {
    await this.session.command(queue, (client) => client.xack(this.session.keys(queue).dead, group, entryId));
  }

  async leaveDeadLetters({ queue, group }: DeadLetterReader): Promise<void> {
    // A reader that cannot say goodbye leaves an idle consumer behind, which costs less than a stop that hangs.
    if (!this.session.route('command', queue).ready()) return;
    const { identity, options } = this.session;
    await this.session.run('feed-leave', queue, [group, identity.name, options.consumerTtlMs]);
  }
}

import type {
  DeadLetterBatch,
  DeadLetterBatchReply,
  DeadLetterLook,
  DeadLetterOverview,
  DeadLetterPage,
  DeadLetterRange,
  DeadLetterReader,
  DeadLetterStore,
  DeadLetterTotals,
  DiscardReply,
  FailureGroup,
  FedLetter,
  FeedRequest,
  ImportPlan,
  ImportReply,
  RawDeadLetter,
  RedrivePlan,
  RedriveReply,
} from '../../contracts/dead-letter-store.interface.js';
import type { DeadLetter } from '../../task/dead-letter.js';
import { auditArguments } from '../queues/audit-codec.js';
import { decodeDeadLetter } from './decode-dead-letter.js';
import { decodeFailureGroup } from './decode-failure-group.js';
import { decodeKind, type RawKind } from './decode-letter-kind.js';
import { importArguments } from './import-arguments.js';
import type { RedisSession, ScriptName } from '../connection/redis-session.js';
import type { ScriptArgument } from '../connection/run-script.js';

type RawBatch = readonly [auditId: string, replies: readonly (readonly string[])[]];
type ErrorReply = { readonly kind: 'error'; readonly detail: string };

/** Letters a preview looks at in one call: about 5 ms, for which Redis serves nobody else. */
const MAX_LOOKED_AT = 100;

/** Dead letters of a queue in their stream, handed out by a consumer group for each kind of reader. */
export class RedisDeadLetters implements DeadLetterStore {
  readonly decode = decodeDeadLetter;

  constructor(private readonly session: RedisSession) {}

  async count(queue: string): Promise<number> {
    return this.session.ask(queue, (client) => client.xlen(this.session.keys(queue).dead));
  }

  async list(
    queue: string,
    max: number,
    cursor: string | undefined,
    range: DeadLetterRange = {},
  ): Promise<DeadLetterPage> {
    const raw = await this.readRaw(queue, max, cursor, range);
    return { letters: raw.map(({ letter }) => letter), cursor: raw.length === max ? raw.at(-1)?.entryId : undefined };
  }

  async readRaw(
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

  async get(queue: string, entryId: string): Promise<DeadLetter | undefined> {
    const [raw] = await this.readRaw(queue, 1, undefined, { from: entryId, to: entryId });
    return raw?.letter;
  }

  async listGroups(queue: string): Promise<readonly FailureGroup[]> {
    const groups = await this.session.ask(queue, (client) => client.hgetall(this.session.keys(queue).deadGroups));
    return Object.entries(groups).flatMap(([id, text]) => decodeFailureGroup(id, text) ?? []);
  }

  async readTotals(queue: string): Promise<DeadLetterTotals> {
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

  redrive(
    queue: string,
    batch: DeadLetterBatch<RedrivePlan>,
    isForced: boolean,
  ): Promise<DeadLetterBatchReply<RedriveReply>> {
    const items = batch.items.flatMap(({ entryId, meta, body }) => [
      entryId,
      JSON.stringify(meta),
      body ? 1 : 0,
      body?.json ?? '',
      body?.hash ?? '',
    ]);
    return this.run(
      'redrive',
      queue,
      batch,
      [isForced ? 1 : 0, ...items],
      ([kind, entryId = '', taskId = '', name = '']) =>
        kind === 'moved' ? { kind, entryId, taskId, name } : { kind: kind as 'gone' },
    );
  }

  async checkRedrive(
    queue: string,
    entryIds: readonly string[],
    isForced: boolean,
  ): ReturnType<DeadLetterStore['checkRedrive']> {
    return (await this.session.runFor('check-redrive', queue, [isForced ? 1 : 0, ...entryIds])) as 'movable'[];
  }

  async preview(queue: string, look: DeadLetterLook): Promise<DeadLetterOverview> {
    const { isForced, maxRedrives, next, range, since, until, movableCount, stayingCount } = look;
    const { from = '-', to = '+' } = range;
    const reply = await this.session.runFor('preview', queue, [
      ...[isForced ? 1 : 0, maxRedrives, next ?? from, to, since],
      ...[until === Infinity ? Number.MAX_SAFE_INTEGER : until, MAX_LOOKED_AT, movableCount, stayingCount],
    ]);
    const [following, lookedAtCount, lateCount, kinds] = reply as [string, number, number, RawKind[]];
    return { next: following || undefined, lookedAtCount, lateCount, kinds: kinds.map(decodeKind) };
  }

  discard(
    queue: string,
    batch: DeadLetterBatch<string>,
    forgetsIds = false,
  ): Promise<DeadLetterBatchReply<DiscardReply>> {
    const args = [forgetsIds ? 1 : 0, ...batch.items];
    return this.run('discard', queue, batch, args, ([kind]) => ({ kind: kind as DiscardReply['kind'] }));
  }

  import(queue: string, batch: DeadLetterBatch<ImportPlan>): Promise<DeadLetterBatchReply<ImportReply>> {
    const { deadLettersMs, maxDeadLetters } = this.session.options.retention;
    const args = [deadLettersMs, maxDeadLetters, ...batch.items.flatMap(importArguments)];
    return this.run('import', queue, batch, args, ([kind, entryId = '']) =>
      kind === 'imported' ? { kind, entryId } : { kind: 'duplicate' },
    );
  }

  async trim(queue: string, max: number): Promise<number> {
    const { deadLettersMs, maxDeadLetters } = this.session.options.retention;
    return (await this.session.run('trim', queue, [maxDeadLetters, deadLettersMs, max])) as number;
  }

  async take(
    reader: DeadLetterReader,
    { from, idleMs, cursor }: FeedRequest,
  ): Promise<{ readonly taken: FedLetter | undefined; readonly cursor: string }> {
    const { queue, group } = reader;
    const args = [group, this.session.identity.name, idleMs, cursor, from === 'new' ? '$' : '0'];
    const [next, entryId, deliveryCount] = (await this.session.run('feed', queue, args)) as [string, string, number];
    const letter = entryId === '' ? undefined : await this.get(queue, entryId);
    if (letter) return { taken: { letter, entryId, deliveryCount }, cursor: next };
    // Redriven or discarded between the two calls.
    if (entryId !== '') await this.finish(reader, entryId);
    return { taken: undefined, cursor: next };
  }

  async finish({ queue, group }: DeadLetterReader, entryId: string): Promise<void> {
    await this.session.command(queue, (client) => client.xack(this.session.keys(queue).dead, group, entryId));
  }

  async leave({ queue, group }: DeadLetterReader): Promise<void> {
    // A reader that cannot say goodbye leaves an idle consumer behind, which costs less than a stop that hangs.
    if (!this.session.route('command', queue).ready()) return;
    const { identity, options } = this.session;
    await this.session.run('feed-leave', queue, [group, identity.name, options.timing.consumerTtlMs]);
  }

  private raw(queue: string, entryId: string, fields: readonly Buffer[]): RawDeadLetter {
    return { entryId, fields, letter: decodeDeadLetter(queue, entryId, fields) };
  }

  private async run<T>(
    script: ScriptName,
    queue: string,
    { number, action, auditId, counts }: DeadLetterBatch<unknown>,
    args: readonly ScriptArgument[],
    decode: (reply: readonly string[]) => T,
  ): Promise<DeadLetterBatchReply<T>> {
    const all = [number, ...auditArguments(action, auditId, counts), ...args];
    const [id, replies] = (await this.session.runFor(script, queue, all)) as RawBatch;
    return {
      auditId: id,
      replies: replies.map((reply) =>
        reply[0] === 'error' ? ({ kind: 'error', detail: reply[1] ?? '' } satisfies ErrorReply) : decode(reply),
      ),
    };
  }
}

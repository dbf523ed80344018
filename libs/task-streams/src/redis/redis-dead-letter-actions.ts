import type {
  DeadLetterBatch,
  DeadLetterBatchReply,
  DeadLetterKind,
  DeadLetterLook,
  DeadLetterOverview,
  DeadLetterStore,
  DiscardReply,
  ImportPlan,
  ImportReply,
  RedrivePlan,
  RedriveReply,
} from '../contracts/dead-letter-store.interface.js';
import { auditArguments } from './audit-codec.js';
import { reasonOf } from './decode-dead-letter.js';
import { importArguments } from './import-arguments.js';
import type { RedisSession, ScriptName } from './redis-session.js';
import type { ScriptArgument } from './run-script.js';

type RawBatch = readonly [auditId: string, replies: readonly (readonly string[])[]];
/** Verdict, task, reason, fingerprint, group, error class, how many, and three parts each of the first ones. */
type RawKind = readonly (string | number)[];
const NAMED_SIZE = 3;

type ErrorReply = { readonly kind: 'error'; readonly detail: string };

/** Letters a preview looks at in one call: about 5 ms, for which Redis serves nobody else. */
const MAX_LOOKED_AT = 100;

/** Changes what was set aside. */
export class RedisDeadLetterActions {
  constructor(private readonly session: RedisSession) {}

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

  async previewDeadLetters(queue: string, look: DeadLetterLook): Promise<DeadLetterOverview> {
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

  importDeadLetters(queue: string, batch: DeadLetterBatch<ImportPlan>): Promise<DeadLetterBatchReply<ImportReply>> {
    const { deadLettersMs, maxDeadLetters } = this.session.options.retention;
    const args = [deadLettersMs, maxDeadLetters, ...batch.items.flatMap(importArguments)];
    return this.run('import', queue, batch, args, ([kind, entryId = '']) =>
      kind === 'imported' ? { kind, entryId } : { kind: 'duplicate' },
    );
  }

  async trimDeadLetters(queue: string, max: number): Promise<number> {
    const { deadLettersMs, maxDeadLetters } = this.session.options.retention;
    return (await this.session.run('trim', queue, [maxDeadLetters, deadLettersMs, max])) as number;
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

function decodeKind(raw: RawKind): DeadLetterKind {
  const [verdict, name = '', reason, fingerprint = '', group, errorName = '', count, ...first] =
    raw as readonly string[];
  return {
    verdict: verdict as DeadLetterKind['verdict'],
    ...{ name, fingerprint, ...(group ? { group } : {}) },
    reason: reasonOf(reason),
    error: { name: errorName },
    count: Number(count),
    first: Array.from({ length: first.length / NAMED_SIZE }, (_, i) => {
      const [entryId = '', taskId = '', detail = ''] = first.slice(i * NAMED_SIZE);
      return { entryId, taskId, detail };
    }),
  };
}

import { Inject, Injectable, Optional } from '@nestjs/common';
import { auditAction } from '../operate/audit-trail.js';
import type { ActionOptions } from '../operate/check-action.js';
import type { AuditAction } from '../contracts/queue-store.interface.js';
import type {
  DeadLetterPage,
  DeadLetterStore,
  DeadLetterTotals,
  FailureGroup,
} from '../contracts/dead-letter-store.interface.js';
import { PRODUCER_EVENTS } from '../watch/event-sources.interface.js';
import type { PayloadEncoder } from '../contracts/payload-encoder.interface.js';
import type { ProducerObserver } from '../watch/producer-observer.interface.js';
import { TASK_TRACING, type TaskTracing } from '../contracts/task-tracing.interface.js';
import { BROKER, PAYLOAD_ENCODER } from '../contracts/tokens.js';
import { UsageError } from '../task/config-errors.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { DeadLetterNotFoundError, DeadLetterUnreadableError, RedriveRefusedError } from '../task/dead-letter-errors.js';
import { requireEntryId, requireQueueName } from '../task/names.js';
import { encodeTaskRef, type TaskRef } from '../task/task-ref.js';
import {
  checkSelection,
  discardName,
  MAX_RATE,
  requireMaxRedrives,
  requireRate,
  requireReason,
} from './check-selection.js';
import type {
  DiscardOptions,
  ListDeadLettersOptions,
  PurgeOptions,
  RedriveManyOptions,
  RedriveOptions,
} from './dead-letter-options.js';
import { parseQuery, type DeadLetterQuery, type DeadLetterSelection } from './dead-letter-query.js';
import { exportLetters } from './export-letters.js';
import { importLetters, type ImportReport } from './import-letters.js';
import type { LetterActionReport } from './letter-action.js';
import { logManyRedriven } from './log-redrive.js';
import { planRedrive, problemOf, type PlanContext, type RedriveRules } from './plan-redrive.js';
import { RedriveSender, type PlannedRedrive } from './redrive-sender.js';
import type { RedrivePreview } from './preview-counts.js';
import { previewRedrive, type PreviewWatch } from './preview-redrive.js';
import { lastOf, runAction, type LetterStores, type LetterWork } from './run-action.js';
import { readPage } from './scan-letters.js';
import type { TextChunks } from './split-lines.js';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1_000;
const DEFAULT_RATE = 100;

/**
 * Reads what was set aside, and sends it again. `openTaskStreams` of `nestjs-task-streams/admin` makes one without Nest.
 *
 * @publicApi
 */
@Injectable()
export class DeadLetterService {
  private readonly store: DeadLetterStore;
  private readonly sender: RedriveSender;

  constructor(
    @Inject(BROKER) private readonly broker: LetterStores,
    @Inject(PAYLOAD_ENCODER) private readonly encoder: PayloadEncoder,
    @Optional() @Inject(PRODUCER_EVENTS) events?: ProducerObserver,
    @Optional() @Inject(TASK_TRACING) tracing?: TaskTracing,
  ) {
    this.store = broker.deadLetters;
    this.sender = new RedriveSender(this.store, events, tracing);
  }

  /** How many dead letters a queue has. */
  count(queue: string): Promise<number> {
    return this.store.count(requireQueueName(queue));
  }

  /**
   * One page of dead letters. With a filter it looks at 500 letters at most, so it may be short, or empty, and have a cursor
   * all the same: the end is where there is none.
   */
  async list(queue: string, options: ListDeadLettersOptions = {}): Promise<DeadLetterPage> {
    const { limit: asked = DEFAULT_PAGE, cursor, order = 'oldest', ...query } = options;
    const limit = Math.min(Math.max(Math.trunc(asked), 1), MAX_PAGE);
    if (cursor !== undefined) requireEntryId('Cursor', cursor);
    const request = { limit, cursor, isNewestFirst: order === 'newest' };
    return readPage(this.store, requireQueueName(queue), parseQuery(query), request);
  }

  /** One dead letter, `undefined` where it is not there. */
  async get(queue: string, entryId: string): Promise<DeadLetter | undefined> {
    return this.store.get(requireQueueName(queue), requireEntryId('Dead letter', entryId));
  }

  /**
   * The failures of a queue, the largest group first. Its size does not depend on how many letters there are: at most 1000
   * groups are kept, and what comes when there are more is counted in `other`.
   *
   * @param options `includeEmpty`: also groups whose letters are all gone. Default false.
   */
  async groups(queue: string, options: { readonly includeEmpty?: boolean } = {}): Promise<readonly FailureGroup[]> {
    const groups = await this.store.listGroups(requireQueueName(queue));
    return groups
      .filter(({ count }) => count > 0 || options.includeEmpty === true)
      .sort((a, b) => b.count - a.count || b.lastSeenAt - a.lastSeenAt);
  }

  /** How many dead letters a queue ever had, and where they went. */
  totals(queue: string): Promise<DeadLetterTotals> {
    return this.store.readTotals(requireQueueName(queue));
  }

  /**
   * Puts one dead letter back into its queue, under its own task id, with all its attempts before it.
   *
   * @returns the reference of the task.
   * @throws InvalidNameError for an id that is none; DeadLetterNotFoundError when it is not there (any more);
   *   DeadLetterUnreadableError when it is no task; RedriveRefusedError when it would do harm; PayloadInvalidError and its
   *   kin for a mended payload; and what the patch function throws.
   */
  async redrive(queue: string, entryId: string, options: RedriveOptions = {}): Promise<{ readonly ref: TaskRef }> {
    const letter = await this.get(queue, entryId);
    if (!letter) throw new DeadLetterNotFoundError(queue, entryId);
    const rules = 'payload' in options ? { ...options, patch: () => options.payload } : options;
    const action = auditAction('redrive', [entryId], options);
    const plan = await planRedrive(letter, this.context(rules, action));
    const { replies } = await this.sender.sendOne(letter, once(action, plan), rules.force === true);
    const [reply] = replies;
    if (reply?.kind === 'moved') return { ref: encodeTaskRef({ queue, id: reply.taskId }) };
    if (reply?.kind === 'live' || reply?.kind === 'succeeded')
      throw new RedriveRefusedError(queue, entryId, reply.kind);
    if (reply?.kind === 'unreadable') throw new DeadLetterUnreadableError(queue, entryId);
    if (reply?.kind === 'error') throw new Error(`Dead letter ${entryId} was not redriven: Redis said ${reply.detail}`);
    throw new DeadLetterNotFoundError(queue, entryId);
  }

  /**
   * Puts dead letters back into their queue, oldest first. Letters that die after it began are left out, so that it ends. It
   * can be stopped at any point, by its signal or by a crash, and begun again: what is moved is gone from the letters.
   *
   * @param selection A query (`{}` for all, `{ fingerprint }` for a group), or entry ids.
   * @throws InvalidOptionError; RedisUnavailableError when Redis is away for longer than some seconds.
   */
  async redriveMany(
    queue: string,
    selection: DeadLetterSelection,
    options: RedriveManyOptions = {},
  ): Promise<LetterActionReport> {
    return lastOf(this.redriveInSteps(queue, selection, options), options);
  }

  /** The same as {@link redriveMany}, batch by batch: it goes on when the next report is asked for. */
  redriveInSteps(
    queue: string,
    selection: DeadLetterSelection,
    options: RedriveManyOptions = {},
  ): AsyncGenerator<LetterActionReport, LetterActionReport> {
    const action = auditAction('redrive', selection, options);
    const context = this.context(options, action);
    const work: LetterWork<PlannedRedrive> = {
      action,
      doneKind: 'moved',
      decide: async (letter) => {
        try {
          return { plan: { letter, plan: await planRedrive(letter, context) } };
        } catch (error) {
          return problemOf(letter, error);
        }
      },
      send: (batch) => this.sender.sendMany(queue, batch, options.force === true),
      onEnd: (report) => logManyRedriven(queue, action.actor, report),
    };
    const paced = { ...options, ratePerSecond: requireRate(options.ratePerSecond ?? DEFAULT_RATE) };
    return runAction(this.broker, requireQueueName(queue), checkSelection(selection), work, paced);
  }

  /**
   * A dry run of {@link redriveMany}: what it would do, patch and checks included. Writes nothing. Without a patch Redis counts
   * by itself, and no payload is read but those of the samples.
   */
  async previewRedrive(
    queue: string,
    selection: DeadLetterSelection,
    options: RedriveRules & PreviewWatch = {},
  ): Promise<RedrivePreview> {
    const context = this.context(options, auditAction('preview', selection, {}));
    return previewRedrive(this.store, requireQueueName(queue), checkSelection(selection), context, options);
  }

  /**
   * Deletes one dead letter for good.
   *
   * @throws DeadLetterNotFoundError when it is not there (any more); UsageError without a reason.
   */
  async discard(queue: string, entryId: string, options: DiscardOptions): Promise<void> {
    requireEntryId('Dead letter', entryId);
    const action = auditAction(discardName('discard', options), [entryId], requireReason(options));
    const { replies } = await this.store.discard(requireQueueName(queue), once(action, entryId), options.forgetId);
    if (replies[0]?.kind === 'error') throw new Error(`Dead letter ${entryId}: Redis said ${replies[0].detail}`);
    if (replies[0]?.kind !== 'discarded') throw new DeadLetterNotFoundError(queue, entryId);
  }

  /**
   * Deletes dead letters for good, oldest first.
   *
   * @throws UsageError without a reason, and where `confirm` is not the name of the queue; InvalidOptionError.
   */
  async purge(queue: string, selection: DeadLetterSelection, options: PurgeOptions): Promise<LetterActionReport> {
    if (options.confirm !== requireQueueName(queue)) {
      throw new UsageError(`A purge cannot be undone: give { confirm: '${queue}' }, the name of the queue, to go on.`);
    }
    const work: LetterWork<string> = {
      action: auditAction(discardName('purge', options), selection, requireReason(options)),
      doneKind: 'discarded',
      decide: async ({ entryId = '' }) => ({ plan: entryId }),
      send: (batch) => this.store.discard(queue, batch, options.forgetId),
    };
    const paced = { ...options, ratePerSecond: requireRate(options.ratePerSecond ?? MAX_RATE) };
    return lastOf(runAction(this.broker, queue, checkSelection(selection), work, paced), options);
  }

  /**
   * Dead letters as lines of JSON, oldest first, for a file or another environment:
   * `pipeline(letters.export('payments'), createWriteStream('payments.ndjson'))`. They stay where they are.
   */
  export(queue: string, query: DeadLetterQuery = {}): AsyncGenerator<string> {
    return exportLetters(this.store, requireQueueName(queue), query);
  }

  /**
   * Adds dead letters from the lines of an export, text or bytes in pieces of any size, such as a file that is read. A letter
   * that is here, or was imported before, is not added again. The queue may be another one than it was.
   */
  async import(queue: string, source: TextChunks, options: ActionOptions = {}): Promise<ImportReport> {
    return importLetters(this.broker, requireQueueName(queue), source, auditAction('import', null, options));
  }

  private context(rules: RedriveRules, { actor }: AuditAction): PlanContext {
    if (rules.maxRedrives !== undefined) requireMaxRedrives('maxRedrives', rules.maxRedrives);
    return { rules, encoder: this.encoder, actor, now: Date.now };
  }
}

function once<T>(action: AuditAction, item: T) {
  return { action, number: 1, auditId: undefined, counts: {}, items: [item] };
}

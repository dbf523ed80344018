import type { DeadLetter } from '../task/dead-letter.js';
import type { TaskMeta } from '../task/task-meta.js';
import type { AuditAction } from './queue-store.interface.js';

/**
 * One page of dead letters.
 *
 * @publicApi
 */
export interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  /** Give it to the next call to go on; `undefined` at the end. */
  readonly cursor: string | undefined;
}

/** Between which entries to look, both included; and from which end. */
export interface DeadLetterRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly isNewestFirst?: boolean;
}

/**
 * Failures that have task, error class, message (but for numbers, ids and quoted text) and place in common.
 *
 * @publicApi
 */
export interface FailureGroup {
  /** The fingerprint of the failures, or `other` for those that came when there were too many groups. */
  readonly id: string;
  readonly task: string;
  readonly errorName: string;
  /** The message with placeholders such as `<n>`. */
  readonly message: string;
  /** Function and file that threw, where they are known. */
  readonly frame: string;
  /** The reason of the first letter of the group. */
  readonly reason: string;
  /** Letters of this group that are there now. */
  readonly count: number;
  /** Letters of this group that ever came, as long as the group has been known. */
  readonly total: number;
  /** In milliseconds since 1970 by the clock of Redis. */
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** The newest letter; `undefined` once it is gone. */
  readonly sampleEntryId: string | undefined;
}

/**
 * How many dead letters a queue ever had, and where they went. `added + imported` is what is there now and the rest.
 *
 * @publicApi
 */
export interface DeadLetterTotals {
  readonly added: number;
  readonly imported: number;
  readonly redriven: number;
  readonly discarded: number;
  /** Dropped by retention, because they were too old or too many. */
  readonly dropped: number;
}

/** How a dead letter goes back to its queue. */
export interface RedrivePlan {
  readonly entryId: string;
  readonly meta: TaskMeta;
  /** A mended payload and its hash; `undefined` to send it as it was. */
  readonly body: { readonly json: string; readonly hash: string } | undefined;
}

/** One batch of an action. A batch that is sent again with the same number, after a lost reply, does nothing twice. */
export interface DeadLetterBatch<T> {
  readonly action: AuditAction;
  /** Counts up with each batch of the operation. */
  readonly number: number;
  /** The record of the action that the last batch answered; `undefined` in the first. */
  readonly auditId: string | undefined;
  /** What the batches before came to. */
  readonly counts: Readonly<Record<string, number>>;
  readonly items: readonly T[];
}

/** What a batch came to. */
export interface DeadLetterBatchReply<T> {
  readonly auditId: string;
  /** One an item, in order. */
  readonly replies: readonly (T | { readonly kind: 'error'; readonly detail: string })[];
}

export type RedriveReply =
  | { readonly kind: 'moved'; readonly taskId: string; readonly name: string; readonly entryId: string }
  | { readonly kind: 'gone' | 'unreadable' | 'live' | 'succeeded' };

/** Which letters a preview looks at in one call, and how many of a kind it names. */
export interface DeadLetterLook {
  readonly isForced: boolean;
  readonly maxRedrives: number;
  /** The `next` of the call before; `undefined` for the first. */
  readonly next: string | undefined;
  readonly range: Pick<DeadLetterRange, 'from' | 'to'>;
  /** When the letters came, in milliseconds since 1970, both included. */
  readonly since: number;
  readonly until: number;
  readonly movableCount: number;
  readonly stayingCount: number;
}

/** Letters that a query and a redrive treat alike. */
export interface DeadLetterKind extends Pick<DeadLetter, 'name' | 'reason' | 'fingerprint' | 'group'> {
  readonly error: { readonly name: string };
  /** What {@link DeadLetterStore.redrive} would answer; `failed` where Redis cannot tell. */
  readonly verdict: 'movable' | 'unreadable' | 'live' | 'succeeded' | 'max-redrives' | 'failed';
  readonly count: number;
  /** The first of them, oldest first. */
  readonly first: readonly { readonly entryId: string; readonly taskId: string; readonly detail: string }[];
}

export interface DeadLetterOverview {
  /** `undefined` at the end. */
  readonly next: string | undefined;
  readonly lookedAtCount: number;
  /** Of those, the ones that came more than an hour too late. */
  readonly lateCount: number;
  readonly kinds: readonly DeadLetterKind[];
}

export type DiscardReply = { readonly kind: 'discarded' | 'gone' };

export type ImportReply = { readonly kind: 'imported'; readonly entryId: string } | { readonly kind: 'duplicate' };

/** A letter with its fields as they are stored: names and values, alternating. */
export interface RawDeadLetter {
  readonly entryId: string;
  readonly fields: readonly Buffer[];
  readonly letter: DeadLetter;
}

/** A letter to be added, from an export. */
export interface ImportPlan {
  /** The entry it had there. */
  readonly entryId: string;
  readonly letter: DeadLetter;
  readonly fields: readonly Buffer[];
}

/** Who reads the dead letters of a queue, each of them once. */
export interface DeadLetterReader {
  readonly queue: string;
  /** Processes that share it share the letters; each group sees every letter. */
  readonly group: string;
}

/** One dead letter, handed out. */
export interface FedLetter {
  readonly letter: DeadLetter;
  readonly entryId: string;
  /** How often it was handed out, this time included. */
  readonly deliveryCount: number;
}

export interface FeedRequest {
  /** Where a group that is not there begins: with what dies from now on, or with all that is there. */
  readonly from: 'new' | 'all';
  /** Milliseconds after which a letter that was handed out and not finished is handed out again. */
  readonly idleMs: number;
  /** Where the last look at unfinished letters ended, `0-0` to begin. */
  readonly cursor: string;
}

/** Keeps dead letters, and delivers them to their handlers. A letter stays where it is, however that ends. */
export interface DeadLetterStore {
  count(queue: string): Promise<number>;
  /** Oldest first, unless the range says otherwise. The cursor is the last entry that was looked at. */
  list(queue: string, max: number, cursor: string | undefined, range?: DeadLetterRange): Promise<DeadLetterPage>;
  get(queue: string, entryId: string): Promise<DeadLetter | undefined>;
  /** As {@link DeadLetterStore.list}, oldest first, with the bytes. */
  readRaw(
    queue: string,
    max: number,
    cursor: string | undefined,
    range?: DeadLetterRange,
  ): Promise<readonly RawDeadLetter[]>;
  /** Reads the fields of a letter, of an export too. Never throws. */
  decode(queue: string, entryId: string, fields: readonly Buffer[]): DeadLetter;
  listGroups(queue: string): Promise<readonly FailureGroup[]>;
  readTotals(queue: string): Promise<DeadLetterTotals>;
  redrive(
    queue: string,
    batch: DeadLetterBatch<RedrivePlan>,
    isForced: boolean,
  ): Promise<DeadLetterBatchReply<RedriveReply>>;
  /** What {@link DeadLetterStore.redrive} would answer, without doing it; one an entry. */
  checkRedrive(
    queue: string,
    entryIds: readonly string[],
    isForced: boolean,
  ): Promise<readonly ('movable' | Exclude<RedriveReply['kind'], 'moved'>)[]>;
  /** Looks at some letters, oldest first, without reading their payloads. */
  preview(queue: string, look: DeadLetterLook): Promise<DeadLetterOverview>;
  /** Deletes letters, and where it is told to the records of their tasks, so that their ids are free. */
  discard(
    queue: string,
    batch: DeadLetterBatch<string>,
    forgetsIds?: boolean,
  ): Promise<DeadLetterBatchReply<DiscardReply>>;
  import(queue: string, batch: DeadLetterBatch<ImportPlan>): Promise<DeadLetterBatchReply<ImportReply>>;
  /** Drops up to `max` letters that are past their retention; answers how many. */
  trim(queue: string, max: number): Promise<number>;
  take(
    reader: DeadLetterReader,
    request: FeedRequest,
  ): Promise<{ readonly taken: FedLetter | undefined; readonly cursor: string }>;
  /** Says that the letter need not be handed out again. */
  finish(reader: DeadLetterReader, entryId: string): Promise<void>;
  /** Forgets this process as a reader, and others that are gone. */
  leave(reader: DeadLetterReader): Promise<void>;
}

import type { CancelRequest } from '../task/cancel-request.js';
import type { Trial } from '../task/delivery-count.js';
import type { TaskOutcome } from '../task/task-outcome.js';

/** What the idempotency key of an entry met when the entry was claimed. */
export type KeyClaim =
  | { readonly kind: 'won' }
  | { readonly kind: 'replay'; readonly resultJson: string | undefined }
  | { readonly kind: 'busy'; readonly retryInMs: number }
  | { readonly kind: 'conflict' };

/** One hand-out of one entry to this worker. */
export interface Delivery {
  readonly queue: string;
  readonly entryId: string;
  /** Field names and values as they lie in the entry, alternating. */
  readonly fields: readonly string[];
  /** Empty where the entry carries none. */
  readonly taskId: string;
  /** The name of the task; empty where the entry carries none. */
  readonly name: string;
  /** How often this entry was handed out, this time included. */
  readonly deliveryCount: number;
  /** How the delivery before was begun, where it was a suspect; its process may have died with it. */
  readonly trial?: Trial | undefined;
  /** The fence: what this worker must show to settle. */
  readonly token: string;
  /** The hash of the payload, `undefined` where no record of the task was found. */
  readonly payloadHash: string | undefined;
  /** Attempts that ended in an error before, as its record says. */
  readonly failedAttempts: number;
  /** When the task was enqueued, in milliseconds since 1970 by the clock of Redis. */
  readonly enqueuedAt: number;
  /** When it was claimed, by the same clock. */
  readonly claimedAt: number;
  /** The key in the entry was claimed with it; `undefined` where the entry has no key of its own. */
  readonly keyClaim: KeyClaim | undefined;
  /** Its end means something to others: its record has links. */
  readonly hasLinks?: true;
  /** It waited in its worker since then, so its key has to be claimed again. */
  readonly isKeyClaimOld?: boolean;
}

/** Whether a queue may be worked on. */
export interface QueueCondition {
  /** Somebody paused it: nothing is to be handed out. */
  readonly isPaused: boolean;
}

export interface ClaimReply {
  readonly deliveries: readonly Delivery[];
  /**
   * `<task id>: <why>` for each task that cannot be claimed, because another program wrote over a key of it. It keeps
   * nobody else back, costs no delivery, and is tried again when its lease has expired.
   */
  readonly blocked: readonly string[];
  /** When the call was sent that claimed them, by the monotonic clock: their leases began then, or later. */
  readonly sentAt: number;
}

/** The task a settlement, a renewal or a progress report is about, and the right to it. */
export type Ownership = Omit<Delivery, 'fields' | 'keyClaim'>;

export interface Settlement {
  readonly owner: Ownership;
  readonly outcome: Exclude<TaskOutcome, { kind: 'lost' }>;
  /** The scope of a key that is locked for this task, to be freed when it is not committed. */
  readonly keyScope: string | undefined;
  readonly retention: Retention;
}

/** How long what is left of a settled task is kept. */
export interface Retention {
  readonly recordMs: number;
  readonly deadRecordMs: number;
  readonly deadLetterMaxCount: number;
}

/**
 * `done`; `cancelled`: somebody had asked for its end, and it did not complete; `already`: a repeat of the same settlement;
 * `fenced`: somebody else owns it; `gone`: it is not there; `deleted`: its payload was deleted, and it is a dead letter;
 * `follow-up-refused`: a follow-up can never be added, so nothing of the completion was done; `refused`: Redis answered with
 * an error, and it may work later.
 */
export type SettleReply =
  | { readonly kind: 'done' | 'cancelled' | 'already' | 'fenced' | 'gone' | 'deleted' }
  | { readonly kind: 'follow-up-refused'; readonly why: string }
  | { readonly kind: 'refused'; readonly reply: string };

export interface TurnReply extends ClaimReply {
  /** One a settlement, in order. */
  readonly replies: readonly SettleReply[];
  /** Dead letters that were dropped by retention, to make place for those of this turn. */
  readonly droppedCount: number;
  /** Why nothing could be handed out, `undefined` where it could. */
  readonly fetchError: Error | undefined;
}

export interface LeaseRenewal {
  readonly owner: Ownership;
  readonly keyScope: string | undefined;
}

export interface ReclaimReply extends ClaimReply {
  /** Where to go on; `0-0` when the whole list was looked at. */
  readonly cursor: string;
  /** Entries that were pending but deleted by somebody; each is a dead letter `payload-deleted` now. */
  readonly deletedCount: number;
  /**
   * Milliseconds during which only what was handed back is taken: no worker of the queue could be heard for a while, so
   * lapsed leases prove nothing until everybody had the time to renew. 0 otherwise.
   */
  readonly graceMs: number;
  /** The names of the workers whose leases lapsed, in the order of `deliveries`; empty for what was handed back. */
  readonly previousOwners: readonly string[];
}

/** A running task that somebody asked to stop. */
export interface MarkedEntry {
  readonly entryId: string;
  readonly request: CancelRequest;
}

export interface LookReply {
  readonly promotedCount: number;
  /** `<task id>: <why>` of a task that cannot be moved, `undefined` where all can. It is tried again later. */
  readonly blocked: string | undefined;
  /** Nothing is to be handed out. */
  readonly isPaused: boolean;
  /** Running tasks of this queue, of any worker, that are to stop: up to a hundred of them. */
  readonly cancels: readonly MarkedEntry[];
  /** Milliseconds until the next task is due, 0 where more are due now, `undefined` where none waits. */
  readonly nextInMs: number | undefined;
}

/** How busy a worker is. */
export interface WorkerLoad {
  readonly running: number;
  readonly concurrency: number;
}

/** Everything a worker does: it delivers tasks, renews their leases, reclaims what has lost its worker, and settles. */
export interface WorkStore {
  /** Creates the consumer group where it is missing. Starts at the beginning: waiting tasks are never skipped. */
  ensure(queue: string): Promise<QueueCondition>;
  /**
   * Waits for a task, up to the block time, and claims it. One, because nobody can call a delivery back that was sent behind a
   * wait: a worker that stops, or is cut off, holds one task for that. Ends early by {@link WorkStore.interrupt}.
   */
  wait(queue: string): Promise<ClaimReply>;
  /**
   * Claims entries that were delivered to this worker in an answer it never saw (a lost reply), so that they do not have to
   * wait for their lease. `known` are the entries it has.
   */
  recover(queue: string, known: ReadonlySet<string>, max: number): Promise<ClaimReply>;
  /** Ends a wait of {@link WorkStore.wait} now. */
  interrupt(queue: string): Promise<void>;
  /**
   * Settles tasks of one queue, then claims up to `max` that wait; 0 to claim none. Settling is safe to repeat, and is
   * done even where the hand-out fails.
   */
  turn(queue: string, settlements: readonly Settlement[], max: number): Promise<TurnReply>;
  /**
   * Renews the leases of tasks of one queue; `false` for a task that is no longer ours, the request for one that is ours
   * and is to stop. A sign of life also without tasks; `load` is shown to who looks at the workers.
   */
  renew(queue: string, leases: readonly LeaseRenewal[], load?: WorkerLoad): Promise<(boolean | CancelRequest)[]>;
  /** Removes the consumers of other workers that hold nothing and were not heard of for so long; answers how many. */
  prune(queue: string, idleMs: number): Promise<number>;
  /**
   * Takes over up to `max` tasks whose lease lapsed, or that were handed back. `cursor` is where the last call stopped,
   * `0-0` to begin. From its last permitted delivery on a task is not counted by it: it must be begun before it runs.
   */
  reclaim(queue: string, max: number, cursor: string): Promise<ReclaimReply>;
  /** Counts the delivery of a suspect that starts now, with what a crash says of it; `false` where it is no longer ours. */
  begin(suspect: Delivery, trial: Trial): Promise<boolean>;
  /** Moves up to one batch. */
  look(queue: string): Promise<LookReply>;
  /** Removes this worker's consumer from a queue's group, if nothing is pending under it. */
  leave(queue: string): Promise<void>;
}

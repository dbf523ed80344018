import type { CancelRequest } from './cancel-request.js';
import type { DeadLetterInfo } from './dead-letter.js';
import type { ErrorDescription } from './error-description.js';
import type { TaskMeta } from './task-meta.js';

/** A follow-up task that is appended by the script that completes its parent, or not at all. */
export interface FollowUp {
  readonly queue: string;
  readonly item: EnqueueItem;
}

/** One task, encoded and ready to be appended. */
export interface EnqueueItem {
  readonly id: string;
  readonly name: string;
  /** Empty where the task id is the key. */
  readonly idempotencyKey: string;
  readonly head: string;
  readonly body: string;
  /** Milliseconds to wait from now by the clock of Redis; 0 to run at once. */
  readonly delayMs: number;
  /** Milliseconds since 1970 before which the task is not run; 0 to run at once. */
  readonly runAt: number;
}

/** The mark that an explicit idempotency key leaves, written by the script that settles the task. */
export interface KeyCommit {
  /** `<task name>/<key>`. */
  readonly scope: string;
  readonly ttlMs: number;
  /** The hash of the payload that was claimed for. */
  readonly hash: string;
}

/** How a result is kept: as JSON text, or not, with the reason. */
export type StoredResult =
  { readonly kind: 'stored'; readonly json: string } | { readonly kind: 'omitted'; readonly reason: ResultOmission };

/**
 * Why there is no result: it could not be kept (`too-large`, `not-serializable`), is not kept (`off`), or the handler did
 * not run, because the work under the key of the task was done already (`duplicate`) or under way.
 */
export type ResultOmission = 'too-large' | 'not-serializable' | 'off' | SkipReason;

/** Why a task was completed without having been run. */
export type SkipReason = 'duplicate' | 'duplicate-in-progress';

/**
 * What the one execution of one delivery came to. The Nest pipeline decides it, one fenced script carries it out.
 * Discriminated by `kind`.
 */
export type TaskOutcome =
  | CompleteOutcome
  | RetryOutcome
  | DeferOutcome
  | DeadLetterOutcome
  | ExpireOutcome
  | CancelOutcome
  | ReleaseOutcome
  | LostOutcome;

/** The work is done. */
export interface CompleteOutcome {
  readonly kind: 'complete';
  readonly result: StoredResult;
  readonly key: KeyCommit | undefined;
  readonly followUps: readonly FollowUp[];
  /** True when the handler did not run, because its work is done, or under way, under the same key. */
  readonly replayed: boolean;
}

/** The attempt failed; run it again after the delay. */
export interface RetryOutcome {
  readonly kind: 'retry';
  readonly delayMs: number;
  readonly meta: TaskMeta;
  readonly error: ErrorDescription;
}

/** Not now: offer it again after the delay, without counting an attempt. */
export interface DeferOutcome {
  readonly kind: 'defer';
  readonly delayMs: number;
  readonly meta: TaskMeta;
  readonly why: string;
  /** The attempt ended in an error that the options call no failure. */
  readonly expected?: true;
  /** True when another task with the same idempotency key was running. */
  readonly isBusy?: boolean;
}

/** Given up: set aside for people. */
export interface DeadLetterOutcome {
  readonly kind: 'dead-letter';
  readonly info: DeadLetterInfo;
  /** False when the letter was taken by a sink of the user's, or dead letters are off for this handler. */
  readonly keep: boolean;
  /** Given up at an error that the options call no failure. */
  readonly expected?: true;
}

/** Its time is over, and its handler or queue says to drop it: only its record tells. */
export interface ExpireOutcome {
  readonly kind: 'expired';
  readonly error: ErrorDescription;
  readonly failedAttempts: number;
}

/** Somebody asked for its end, and the handler gave up. No failure: no attempt is counted, and nothing is set aside. */
export interface CancelOutcome {
  readonly kind: 'cancel';
  readonly request: CancelRequest;
}

/** Handed back untouched: the worker stops, or may no longer own it. Burns neither an attempt nor a hand-out. */
export interface ReleaseOutcome {
  readonly kind: 'release';
  /** The hand-out counts all the same, because the task may be what keeps its worker from living. */
  readonly burnsHandOut?: true;
}

/** Somebody else owns the task now: there is nothing to settle. */
export interface LostOutcome {
  readonly kind: 'lost';
}

/** For the last branch of a switch over a closed list. */
export function assertNever(value: never): never {
  throw new TypeError(`Not one of the known kinds: ${JSON.stringify(value)}`);
}

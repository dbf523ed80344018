import type { ActionOptions } from '../operate/check-action.js';
import type { DeadLetterQuery } from './dead-letter-query.js';
import type { LetterActionOptions } from './letter-action.js';
import type { RedriveRules } from './plan-redrive.js';

/** @publicApi */
export interface ListDeadLettersOptions extends DeadLetterQuery {
  /** The most letters of a page, 1 to 1000. Default 50. */
  readonly limit?: number;
  /** Where the last page ended. Default: the beginning. */
  readonly cursor?: string | undefined;
  /** Default `oldest`. */
  readonly order?: 'oldest' | 'newest';
}

/** @publicApi */
export interface RedriveOptions extends RedriveRules, ActionOptions {
  /** A mended payload, in place of `patch`. Default: the payload as it was. */
  readonly payload?: unknown;
}

/** @publicApi */
export interface RedriveManyOptions extends RedriveRules, LetterActionOptions {}

/** @publicApi */
export interface ForgetIdsOptions {
  /**
   * Forget the ids of the tasks in the same step: the next task that is enqueued with one runs, instead of being a duplicate in
   * state `dead` until `retention.deadLettersMs` is over. Default false: what was settled by hand is not done once more by a
   * sender that sends it again.
   */
  readonly forgetId?: boolean;
}

/** @publicApi */
export interface DiscardOptions extends ActionOptions, ForgetIdsOptions {
  /** Why; it goes into the audit log. */
  readonly reason: string;
}

/** @publicApi */
export interface PurgeOptions extends LetterActionOptions, ForgetIdsOptions {
  /** Why; it goes into the audit log. */
  readonly reason: string;
  /** The name of the queue once more, because there is no way back. */
  readonly confirm: string;
}

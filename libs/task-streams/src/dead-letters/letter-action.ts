import type { ActionOptions } from '../operate/check-action.js';

/**
 * Options of an action on many dead letters.
 *
 * @publicApi
 */
export interface LetterActionOptions extends ActionOptions {
  /** The most letters a second, so that daily work is not disturbed; 0.1 to 100 000. */
  readonly ratePerSecond?: number;
  /** Stops the action after the batch that is on its way. What is left can be done later, see `cursor`. */
  readonly signal?: AbortSignal;
  /** Where an earlier action stopped: the `cursor` of its report. Letters that died after that one began are left out. */
  readonly cursor?: string | undefined;
  /** Hears how far it is, after each batch. */
  readonly onProgress?: (report: LetterActionReport) => void;
}

/**
 * A letter that was left where it is.
 *
 * @publicApi
 */
export interface LetterProblem {
  readonly entryId: string;
  readonly taskId: string;
  readonly reason: LetterRefusal | 'failed';
  readonly detail: string;
}

/**
 * Why a letter was left where it is.
 *
 * - `gone`: somebody else redrove or discarded it meanwhile;
 * - `unreadable`: it holds no task;
 * - `live`: the task is in its queue already;
 * - `succeeded`: the task, or its idempotency key, is done;
 * - `max-redrives`: it came back too often;
 * - `invalid-payload`: the mended payload would be refused by the worker.
 *
 * @publicApi
 */
export type LetterRefusal = 'gone' | 'unreadable' | 'live' | 'succeeded' | 'max-redrives' | 'invalid-payload';

/**
 * What an action on many dead letters came to, so far or in all. `matched` is `done + refused + failed`.
 *
 * @publicApi
 */
export interface LetterActionReport {
  /** The same in the audit log. */
  readonly operation: string;
  /** Letters that were selected. */
  readonly matched: number;
  /** Letters that were moved, or discarded. */
  readonly done: number;
  /** Letters that were left, in all and by reason. */
  readonly refused: number;
  readonly refusals: Readonly<Partial<Record<LetterRefusal, number>>>;
  /** Letters that could not be looked after because of an error: Redis refused, or your function threw. */
  readonly failed: number;
  /** The first 100 letters that were refused or failed. */
  readonly problems: readonly LetterProblem[];
  /** Where to go on later; `undefined` when all was done. */
  readonly cursor: string | undefined;
}

const MAX_PROBLEMS = 100;

/** Counts what becomes of letters. */
export class LetterTally {
  private readonly problems: LetterProblem[] = [];
  private readonly refusals: Partial<Record<LetterRefusal, number>> = {};
  private done = 0;
  private failed = 0;

  constructor(private readonly operation: string) {}

  addDone(count = 1): void {
    this.done += count;
  }

  addProblem(problem: LetterProblem): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
    this.addUnnamed(problem.reason, 1);
  }

  /** Counts letters that are not named among the problems. */
  addUnnamed(reason: LetterProblem['reason'], count: number): void {
    if (reason === 'failed') this.failed += count;
    else if (count > 0) this.refusals[reason] = (this.refusals[reason] ?? 0) + count;
  }

  report(cursor: string | undefined): LetterActionReport {
    const refused = Object.values(this.refusals).reduce((sum, count) => sum + count, 0);
    const { operation, done, failed } = this;
    const matched = done + refused + failed;
    const refusals = { ...this.refusals };
    return { operation, matched, done, refused, refusals, failed, problems: [...this.problems], cursor };
  }
}

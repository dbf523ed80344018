import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * One task of an `enqueueMany`, by its place in the list.
 *
 * @publicApi
 */
export interface EnqueueManyItem {
  /** The place in the list that was given, from 0. */
  readonly index: number;
  readonly queue: string;
  readonly id: string;
}

/**
 * What became of the tasks of an `enqueueMany` that failed.
 *
 * @publicApi
 */
export interface EnqueueManyOutcome {
  /** These are in their queues. */
  readonly enqueued: readonly EnqueueManyItem[];
  /** These may be: send them again with the same ids, and each is added at most once. */
  readonly uncertain: readonly EnqueueManyItem[];
  /** These are not. */
  readonly notEnqueued: readonly EnqueueManyItem[];
}

/**
 * Not every task of an `enqueueMany` was enqueued, or it is not known of every one. `cause` is the first error,
 * `errors` all of them.
 *
 * @publicApi
 */
@ErrorName('EnqueueManyError')
export class EnqueueManyError extends TaskStreamsError implements EnqueueManyOutcome {
  readonly code = 'TASK_STREAMS_ENQUEUE_MANY';
  readonly enqueued: readonly EnqueueManyItem[];
  readonly uncertain: readonly EnqueueManyItem[];
  readonly notEnqueued: readonly EnqueueManyItem[];

  constructor(
    outcome: EnqueueManyOutcome,
    readonly errors: readonly unknown[],
  ) {
    const { enqueued, uncertain, notEnqueued } = outcome;
    const [first] = errors;
    super(
      `Of ${enqueued.length + uncertain.length + notEnqueued.length} tasks ${enqueued.length} are in their queues, ` +
        `${notEnqueued.length} are not and ${uncertain.length} may be: ${first instanceof Error ? first.message : String(first)} ` +
        '(send the tasks listed in uncertain and notEnqueued again, with the same ids.)',
      { cause: first },
    );
    this.enqueued = enqueued;
    this.uncertain = uncertain;
    this.notEnqueued = notEnqueued;
  }
}

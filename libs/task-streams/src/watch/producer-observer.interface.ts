import type { EnqueueItem } from '../task/task-outcome.js';

/** Why a task was not enqueued, or may not have been. */
export type EnqueueFailure = 'rejected' | 'full' | 'unavailable' | 'uncertain';

/** What a producer tells about its work. Discriminated by `kind`. */
export type ProducerEvent =
  | {
      readonly kind: 'enqueued';
      readonly queue: string;
      readonly item: EnqueueItem;
      /** True when a task of this id was known already and nothing was added. */
      readonly isDuplicate: boolean;
      /** True when the task was sent by its contract: its name is one of a closed list. */
      readonly isContract: boolean;
    }
  | {
      readonly kind: 'enqueue-failed';
      /** `undefined` where the queue was not known yet. */
      readonly queue: string | undefined;
      readonly name: string;
      /** `undefined` where the id was not known yet. */
      readonly taskId: string | undefined;
      readonly failure: EnqueueFailure;
      readonly error: unknown;
      readonly isContract: boolean;
    }
  /** A call to Redis ended, well or not; once for each queue of the call. */
  | { readonly kind: 'enqueue-ended'; readonly queue: string; readonly durationMs: number }
  | {
      readonly kind: 'redriven';
      readonly queue: string;
      readonly taskId: string;
      readonly name: string;
      readonly entryId: string;
      /** True when another payload was given. */
      readonly isMended: boolean;
    };

/** Hears what a producer does. */
export interface ProducerObserver {
  /** False while nobody listens: nothing is measured or put together then. */
  readonly isWatched: boolean;
  /** Must not throw; a listener that does is ignored. */
  observe(event: ProducerEvent): void;
}

import type { WhoAndWhy } from '../task/who-and-why.js';

/** Where tasks lie that nobody runs. */
export type DrainablePlace = 'waiting' | 'delayed' | 'dead';

/** One step of emptying a queue. */
export interface DrainStep {
  readonly place: DrainablePlace;
  /** What the step before answered; `undefined` for the first. */
  readonly bound: string | undefined;
  /** Milliseconds the records of the removed tasks are kept as cancelled; 0 keeps none. */
  readonly recordMs: number;
  readonly by: string | undefined;
  readonly reason: string | undefined;
}

export interface DrainReply {
  readonly removedCount: number;
  /** Where the last step ends: give it to the next one. */
  readonly bound: string;
  /** False when all that was there at the first step is gone. */
  readonly hasMore: boolean;
}

/**
 * What became of a key that is to be forgotten.
 *
 * - `forgotten`: its work was done; the next task with the key runs.
 * - `busy`: a task with the key runs. Nothing was changed.
 * - `unknown`: no such key is kept, or no longer.
 *
 * @publicApi
 */
export interface ForgetKeyReply {
  readonly kind: 'forgotten' | 'busy' | 'unknown';
}

/** Stops and empties whole queues, and forgets what they remember. */
export interface QueueControlStore {
  /** Nothing is handed out from now on. Answers false where it was paused already; the first pause stands. */
  pause(queue: string, who: Omit<WhoAndWhy, 'at'>): Promise<boolean>;
  /** Answers false where it was not paused. */
  resume(queue: string): Promise<boolean>;
  /** Who paused a queue, when and why; `undefined` where nobody did. */
  getPause(queue: string): Promise<WhoAndWhy | undefined>;
  /** Removes some of the tasks that nobody runs. */
  drainStep(queue: string, step: DrainStep): Promise<DrainReply>;
  /** Removes the done mark of an idempotency key; one that is held by a running task stays. */
  forgetKey(queue: string, taskName: string, key: string): Promise<ForgetKeyReply>;
}

import type { TaskState } from '../task/task-state.js';
import type { WhoAndWhy } from '../task/who-and-why.js';

/** Where tasks lie that nobody runs. */
export type DrainablePlace = 'waiting' | 'delayed' | 'dead';

/** What lay in a queue when it began to be emptied. */
export interface DrainBounds {
  readonly waiting: string;
  readonly dead: string;
  /** What tells tasks that were delayed by then from later ones; empty where those are left alone. */
  readonly mark: string;
}

/** One step of emptying a queue. */
export interface DrainStep {
  readonly place: DrainablePlace;
  readonly bounds: DrainBounds;
  /** What the step before answered; `undefined` for the first. */
  readonly cursor: string | undefined;
  /** Milliseconds the records of the removed tasks are kept as cancelled; 0 keeps none. */
  readonly recordMs: number;
  readonly by: string | undefined;
  readonly reason: string | undefined;
}

export interface DrainReply {
  readonly removedCount: number;
  /** Where the next step begins; `undefined` at the end of the place. */
  readonly cursor: string | undefined;
  /** What kept a task from being removed; the others were. */
  readonly error: string | undefined;
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

/**
 * What became of a task id that is to be forgotten.
 *
 * - `forgotten`: the task had ended; a new task can have the id.
 * - `busy`: the task waits or runs, or its dead letter is there. Nothing was changed.
 * - `unknown`: no such task is remembered, or no longer.
 *
 * @publicApi
 */
export interface ForgetIdReply {
  readonly kind: 'forgotten' | 'busy' | 'unknown';
  /** What the task was; `undefined` where it is unknown. */
  readonly state: TaskState | undefined;
}

/** Stops and empties whole queues, and forgets what they remember. */
export interface QueueControlStore {
  /** Nothing is handed out from now on. Answers false where it was paused already; the first pause stands. */
  pause(queue: string, who: Omit<WhoAndWhy, 'at'>): Promise<boolean>;
  /** Answers false where it was not paused. */
  resume(queue: string): Promise<boolean>;
  /** Who paused a queue, when and why; `undefined` where nobody did. */
  getPause(queue: string): Promise<WhoAndWhy | undefined>;
  /** Notes what is there now, of delayed tasks too where it is told to. */
  beginDrain(queue: string, isWithDelayed: boolean): Promise<DrainBounds>;
  /** Removes some of the tasks that nobody runs, and were there when it began. */
  drainStep(queue: string, step: DrainStep): Promise<DrainReply>;
  /** Answers how many delayed tasks became due meanwhile and were cancelled for that. */
  endDrain(queue: string, bounds: DrainBounds): Promise<number>;
  /** Removes the record of a task that has ended, and has no dead letter. */
  forgetId(queue: string, id: string): Promise<ForgetIdReply>;
  /** Removes the done mark of an idempotency key; one that is held by a running task stays. */
  forgetKey(queue: string, taskName: string, key: string): Promise<ForgetKeyReply>;
}

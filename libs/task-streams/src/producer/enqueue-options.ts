import type { ConfirmedDurability, Durability } from '../contracts/inbox-store.interface.js';
import type { TaskOptions } from '../task/envelope.js';
import type { TaskRef, TaskRefOf } from '../task/task-ref.js';
import type { TaskState } from '../task/task-state.js';

/**
 * What can be said about one task when it is enqueued. All of it is optional.
 *
 * @publicApi
 */
export interface EnqueueOptions extends TaskOptions {
  /**
   * The id of the task, 1 to 256 characters without white space. The same id with the same payload is added once,
   * however often it is sent; give one that you can repeat, such as the id of the order. Default: a new UUID.
   */
  readonly id?: string;
  /**
   * How safe the task must be before `enqueue` answers: `memory` (Redis has it), `fsync` (it is on the disk of Redis) or
   * a number of replicas that have it. Default `memory`.
   */
  readonly durability?: Durability;
}

/**
 * The proof that a task was accepted.
 *
 * @publicApi
 */
export interface TaskReceipt {
  /** The id of the task. */
  readonly id: string;
  /** The queue it is in. */
  readonly queue: string;
  /** Finds the task again: give it to `get` and `result`. Safe in a URL and safe to store. */
  readonly ref: TaskRef;
  /** Its place in the stream; `undefined` while it is delayed, and for a known task that is no longer there. */
  readonly entryId: string | undefined;
  /** Where it is in its life: `waiting` or `delayed`, or any state for a task that was known already. */
  readonly state: TaskState;
  /** True when a task with this id was known already and nothing was added. */
  readonly duplicate: boolean;
  /** How safe it is, as far as the server confirmed it. */
  readonly durability: ConfirmedDurability;
}

/**
 * The receipt of a task that was sent by its contract: its `ref` carries the type of the result.
 *
 * @publicApi
 */
export interface TaskReceiptOf<R> extends TaskReceipt {
  readonly ref: TaskRefOf<R>;
}

import type { ConfirmedDurability, Durability } from '../contracts/inbox-store.interface.js';
import type { BackoffCurve } from '../task/backoff.js';
import type { TaskHeaders } from '../task/envelope.js';
import type { TaskRef, TaskRefOf } from '../task/task-ref.js';
import type { TaskState } from '../task/task-state.js';

/**
 * What can be said about one task when it is enqueued. All of it is optional.
 *
 * @publicApi
 */
export interface EnqueueOptions {
  /**
   * The id of the task, 1 to 256 characters without white space. The same id with the same payload is added once,
   * however often it is sent; give one that you can repeat, such as the id of the order. Default: a new UUID.
   */
  readonly id?: string;
  /** The queue. Default: the queue of the contract, of the client, or of the handler of that name; else `default`. */
  readonly queue?: string;
  /** Tasks of one name and queue with one key have their effect once. Default: the task id. */
  readonly idempotencyKey?: string;
  /** Text that travels beside the payload: tenant, correlation, trace. Default none. */
  readonly headers?: TaskHeaders;
  /** Milliseconds to wait before the task is run, by the clock of Redis; up to ten years. Not together with `runAt`. */
  readonly delayMs?: number;
  /**
   * When the task is run, as a Date or in milliseconds since 1970; up to ten years ahead. A time that has passed runs it
   * at once. Not together with `delayMs`.
   */
  readonly runAt?: Date | number;
  /** Attempts in all, the first included; 1 to 1000. Default: what the handler says when the task is run. */
  readonly attempts?: number;
  /** How long to wait between attempts. Default: what the handler says when the task is run. */
  readonly backoff?: BackoffCurve | readonly number[];
  /** Milliseconds an attempt may take. Default: what the handler says when the task is run. */
  readonly timeoutMs?: number;
  /**
   * Milliseconds in which the first attempt must begin, counted by the clock of Redis from the end of the delay: a task
   * that is older is not started (`onExpired`). Default: it may wait for ever.
   */
  readonly ttlMs?: number;
  /**
   * Milliseconds in which every attempt must begin, counted as for `ttlMs`: no retry is scheduled past the end of them. An
   * attempt that runs then is not cut off; `ctx.deadline` shows the time. Not together with `deadline`. Default: none.
   */
  readonly deadlineMs?: number;
  /** The same as a time, as a Date or in milliseconds since 1970. Not together with `deadlineMs`. Default: none. */
  readonly deadline?: Date | number;
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

import type { TaskHeaders } from '../task/envelope.js';
import type { TaskContract } from '../task/task-contract.js';
import type { TaskRef } from '../task/task-ref.js';
import type { FollowUpOptions } from './follow-ups.js';

/**
 * A follow-up task that is enqueued when its parent completes.
 *
 * @publicApi
 */
export interface FollowUpReceipt {
  readonly id: string;
  readonly queue: string;
  /** Finds the task again, once the parent has completed. */
  readonly ref: TaskRef;
}

/**
 * What a handler, guard, interceptor, pipe or filter can know about the task, and ask of it. Injected by `@Ctx()`; in
 * enhancers it is `host.switchToRpc().getContext<TaskContext>()`.
 *
 * @publicApi
 */
export abstract class TaskContext {
  /** Finds the task again: for `TaskClient.get` and `result`, URLs and your own tables. */
  abstract readonly ref: TaskRef;

  /** The id of the task, the same over all attempts. */
  abstract readonly taskId: string;

  /** What the task is called. */
  abstract readonly name: string;

  /** The queue it came from. */
  abstract readonly queue: string;

  /** Which attempt this is, 1 for the first. Attempts that were put off, or lost with their worker, are not counted. */
  abstract readonly attempt: number;

  /** How often this entry was handed to a worker, this time included. More than `attempt` after crashes. */
  abstract readonly deliveryCount: number;

  /**
   * The key under which the effect of this task happens once, `<queue>/<task>/<key>`: record it under a unique index, or
   * hand it to a payment API. No task of another queue, name or key has it; the same over all attempts, redeliveries and
   * redrives. At most 255 characters of printable ASCII: anything else is escaped as in a URL, and of what is longer there is
   * `sha256:` and a hash.
   */
  abstract readonly idempotencyKey: string;

  /**
   * The key as the sender or the handler's `idempotency.key` gave it, else the task id: what the last part of
   * `idempotencyKey` is made of. Tasks of another name or queue may have the same one, such as a charge and its refund.
   */
  abstract readonly bareIdempotencyKey: string;

  /** What the sender put beside the payload. */
  abstract readonly headers: TaskHeaders;

  /** When it was enqueued, in milliseconds since 1970 by the clock of Redis. */
  abstract readonly enqueuedAt: number;

  /**
   * The time after which no attempt begins, in milliseconds since 1970 by the clock of Redis; `undefined` where the sender
   * gave no deadline. It does not abort the attempt that runs.
   */
  abstract readonly deadline: number | undefined;

  /** Aborts when the attempt should stop: its timeout ran out, its lease was lost, or the worker stops. */
  abstract readonly signal: AbortSignal;

  /**
   * Shows how far the task is, to whoever looks at it. At most one write in 500 ms; the newest value is always written
   * while the task runs. Never fails the task: what cannot be written is left out.
   *
   * @param value Anything that has JSON, of at most 4096 bytes.
   */
  abstract progress(value: unknown): void;

  /**
   * Writes a line to the log of the task, for who looks at it with `TaskClient.logs`. The last 100 lines are kept, over all
   * attempts, for a day after the last one (`retention.logsMs`). Lines are written together, within 200 ms and at the end of
   * the attempt; what cannot be written is left out and never fails the task. Not for secrets: whoever may read the queue
   * may read it.
   *
   * @param line Cut at 1000 characters.
   */
  abstract log(line: string): void;

  /**
   * Enqueues a task when, and only when, this one completes: both happen in one step. When the attempt fails, nothing is
   * enqueued.
   *
   * @param task A contract, or a name.
   * @param payload JSON data.
   * @throws What `TaskClient.enqueue` throws for a payload or an option that cannot be used.
   */
  abstract enqueue<P>(task: string | TaskContract<P>, payload: P, options?: FollowUpOptions): FollowUpReceipt;

  /**
   * Says that the work is done, for an interceptor that answers in place of the handler: without it such an answer counts
   * as a failed attempt, because a task is never completed because no error came out. In a handler it fixes the result,
   * whatever the handler returns. An error that comes out afterwards takes it back.
   *
   * This and the three calls below settle the task by hand. Most handlers return or throw instead. The first call of an
   * attempt counts, and later ones do nothing; nothing is written before the handler has ended.
   *
   * @param value The result to keep. Default none.
   * @throws UsageError after the end of the attempt.
   */
  abstract complete(value?: unknown): void;

  /**
   * Hands the task back: it is offered again after the delay, and no attempt is counted, for `timing.deferralLimitMs` in all.
   * What the handler returns or throws afterwards does not matter.
   *
   * @param options `delayMs`: milliseconds to wait, by the clock of Redis. Default 1000.
   * @throws UsageError after the end of the attempt; RangeError for a delay that is none.
   */
  abstract release(options?: { readonly delayMs?: number }): void;

  /**
   * Ends the attempt as failed: it is counted, and the task is run again after the delay, or is a dead letter where this
   * was the last attempt. What the handler returns or throws afterwards does not matter.
   *
   * @param options `delayMs`: milliseconds to wait, by the clock of Redis; default: the backoff of the task. `error`: what
   *   to keep as the error of the attempt; default: that the handler asked for it.
   * @throws UsageError after the end of the attempt; RangeError for a delay that is none.
   */
  abstract retry(options?: { readonly delayMs?: number; readonly error?: Error }): void;

  /**
   * Puts the task with the dead letters, with reason `requested`. What the handler returns or throws afterwards does not
   * matter.
   *
   * @param reason Why, for the people who look at it later.
   * @param details More about the case, kept as JSON of at most 16 KiB. Default none.
   * @throws UsageError after the end of the attempt.
   */
  abstract deadLetter(reason: string, details?: Readonly<Record<string, unknown>>): void;
}

import type { ArgumentsHost } from '@nestjs/common';
import { BaseRpcContext } from '@nestjs/microservices';
import { UsageError } from '../task/config-errors.js';
import { effectKey } from '../task/effect-key.js';
import type { TaskHeaders } from '../task/envelope.js';
import { DeadLetterError, RetryLaterError, RetryRequestedError } from '../task/handler-errors.js';
import type { TaskContract } from '../task/task-contract.js';
import { encodeTaskRef, type TaskRef } from '../task/task-ref.js';
import type { FollowUpOptions } from './follow-ups.js';
import { settleByHand } from './record-failure.js';
import type { TaskRun } from './task-run.js';

/** Long enough that a handler that always releases does not spin. */
const DEFAULT_RELEASE_MS = 1_000;

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

/** Another copy of the library finds the run by it: its interceptors may be bound to a handler that this one runs. */
const RUN = Symbol.for('nestjs-task-streams:run');

/**
 * What a handler, guard, interceptor, pipe or filter can know about the task, and ask of it. Injected by `@Ctx()`; in
 * enhancers it is `host.switchToRpc().getContext<TaskContext>()`.
 *
 * @publicApi
 */
export class TaskContext extends BaseRpcContext<[name: string, queue: string, taskId: string]> {
  readonly #run: TaskRun;

  static {
    Object.defineProperty(this.prototype, RUN, {
      get(this: TaskContext) {
        return this.#run;
      },
    });
  }

  /** @internal */
  constructor(run: TaskRun) {
    const { delivery, envelope } = run.input;
    super([envelope.name, delivery.queue, envelope.id]);
    this.#run = run;
  }

  /** Finds the task again: for `TaskClient.get` and `result`, URLs and your own tables. */
  get ref(): TaskRef {
    return encodeTaskRef({ queue: this.queue, id: this.taskId });
  }

  /** The id of the task, the same over all attempts. */
  get taskId(): string {
    return this.#run.input.envelope.id;
  }

  /** What the task is called. */
  get name(): string {
    return this.#run.input.envelope.name;
  }

  /** The queue it came from. */
  get queue(): string {
    return this.#run.input.delivery.queue;
  }

  /** Which attempt this is, 1 for the first. Attempts that were put off, or lost with their worker, are not counted. */
  get attempt(): number {
    return this.#run.meta.failedAttempts + 1;
  }

  /** How often this entry was handed to a worker, this time included. More than `attempt` after crashes. */
  get deliveryCount(): number {
    return this.#run.input.delivery.deliveryCount;
  }

  /**
   * The key under which the effect of this task happens once, `<queue>/<task>/<key>`: record it under a unique index, or
   * hand it to a payment API. No task of another queue, name or key has it; the same over all attempts, redeliveries and
   * redrives. At most 255 characters of printable ASCII: anything else is escaped as in a URL, and of what is longer there is
   * `sha256:` and a hash.
   */
  get idempotencyKey(): string {
    return effectKey(this.queue, this.name, this.#run.idempotencyKey);
  }

  /**
   * The key as the sender or the handler's `idempotency.key` gave it, else the task id: what the last part of
   * `idempotencyKey` is made of. Tasks of another name or queue may have the same one, such as a charge and its refund.
   */
  get bareIdempotencyKey(): string {
    return this.#run.idempotencyKey;
  }

  /** What the sender put beside the payload. */
  get headers(): TaskHeaders {
    return this.#run.input.envelope.headers;
  }

  /** When it was enqueued, in milliseconds since 1970 by the clock of Redis. */
  get enqueuedAt(): number {
    return this.#run.input.delivery.enqueuedAt;
  }

  /**
   * The time after which no attempt begins, in milliseconds since 1970 by the clock of Redis; `undefined` where the sender
   * gave no deadline. It does not abort the attempt that runs.
   */
  get deadline(): number | undefined {
    const every = this.#run.input.startLimits?.every;
    return every === Infinity ? undefined : every;
  }

  /** Aborts when the attempt should stop: its timeout ran out, its lease was lost, or the worker stops. */
  get signal(): AbortSignal {
    return this.#run.signal;
  }

  /**
   * Shows how far the task is, to whoever looks at it. At most one write in 500 ms; the newest value is always written
   * while the task runs. Never fails the task: what cannot be written is left out.
   *
   * @param value Anything that has JSON, of at most 4096 bytes.
   */
  progress(value: unknown): void {
    if (!this.#run.isClosed) this.#run.progress.report(value);
  }

  /**
   * Writes a line to the log of the task, for who looks at it with `TaskClient.logs`. The last 100 lines are kept, over all
   * attempts, for a day after the last one (`retention.logsMs`). Lines are written together, within 200 ms and at the end of
   * the attempt; what cannot be written is left out and never fails the task. Not for secrets: whoever may read the queue
   * may read it.
   *
   * @param line Cut at 1000 characters.
   */
  log(line: string): void {
    if (!this.#run.isClosed) this.#run.log.add(line, this.attempt);
  }

  /**
   * Enqueues a task when, and only when, this one completes: both happen in one step. When the attempt fails, nothing is
   * enqueued.
   *
   * @param task A contract, or a name.
   * @param payload JSON data.
   * @throws What `TaskClient.enqueue` throws for a payload or an option that cannot be used.
   */
  enqueue<P>(task: string | TaskContract<P>, payload: P, options: FollowUpOptions = {}): FollowUpReceipt {
    const { queue, item } = this.#run.followUps.add(task as string | TaskContract, payload, options);
    return { id: item.id, queue, ref: encodeTaskRef({ queue, id: item.id }) };
  }

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
  complete(value?: unknown): void {
    this.#requireOpen('complete');
    this.#run.prove({ kind: 'declared', value });
  }

  /**
   * Hands the task back: it is offered again after the delay, and no attempt is counted, for `deferralLimitMs` in all.
   * What the handler returns or throws afterwards does not matter.
   *
   * @param options `delayMs`: milliseconds to wait, by the clock of Redis. Default 1000.
   * @throws UsageError after the end of the attempt; RangeError for a delay that is none.
   */
  release(options: { readonly delayMs?: number } = {}): void {
    this.#requireOpen('release');
    const { delayMs = DEFAULT_RELEASE_MS } = options;
    const error = new RetryLaterError({ delayMs, message: `The handler released the task for ${delayMs} ms` });
    settleByHand(this.#run, error, { kind: 'defer', delayMs: error.delayMs });
  }

  /**
   * Ends the attempt as failed: it is counted, and the task is run again after the delay, or is a dead letter where this
   * was the last attempt. What the handler returns or throws afterwards does not matter.
   *
   * @param options `delayMs`: milliseconds to wait, by the clock of Redis; default: the backoff of the task. `error`: what
   *   to keep as the error of the attempt; default: that the handler asked for it.
   * @throws UsageError after the end of the attempt; RangeError for a delay that is none.
   */
  retry(options: { readonly delayMs?: number; readonly error?: Error } = {}): void {
    this.#requireOpen('retry');
    const { delayMs, error = new RetryRequestedError() } = options;
    const wait = delayMs === undefined ? undefined : new RetryLaterError({ delayMs }).delayMs;
    settleByHand(this.#run, error, { kind: 'retryable' }, wait);
  }

  /**
   * Puts the task with the dead letters, with reason `requested`. What the handler returns or throws afterwards does not
   * matter.
   *
   * @param reason Why, for the people who look at it later.
   * @param details More about the case, kept as JSON of at most 16 KiB. Default none.
   * @throws UsageError after the end of the attempt.
   */
  deadLetter(reason: string, details?: Readonly<Record<string, unknown>>): void {
    this.#requireOpen('deadLetter');
    settleByHand(this.#run, new DeadLetterError(reason, details), { kind: 'final', reason: 'requested', details });
  }

  #requireOpen(call: string): void {
    if (!this.#run.isClosed) return;
    throw new UsageError(
      `ctx.${call}() of task ${this.taskId} was called after its attempt had ended: nothing can be changed any more. ` +
        'Call it before the handler returns, and stop when ctx.signal aborts.',
    );
  }
}

/**
 * The run behind the context of a task; `undefined` where the host carries something else, such as an HTTP request or a
 * message of another transport.
 *
 * @internal
 */
export function findRun(host: ArgumentsHost): TaskRun | undefined {
  if (host.getType() !== 'rpc') return undefined;
  const context: unknown = host.switchToRpc().getContext();
  return typeof context === 'object' && context !== null ? (context as { [RUN]?: TaskRun })[RUN] : undefined;
}

/**
 * The run behind a task context.
 *
 * @internal
 */
export function runOf(context: TaskContext): TaskRun {
  return (context as unknown as { [RUN]: TaskRun })[RUN];
}

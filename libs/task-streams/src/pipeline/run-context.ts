import type { ArgumentsHost } from '@nestjs/common';
import { UsageError } from '../task/config-errors.js';
import { effectKey } from '../task/effect-key.js';
import type { TaskHeaders } from '../task/envelope.js';
import { DeadLetterError, RetryLaterError, RetryRequestedError } from '../task/handler-errors.js';
import type { TaskContract } from '../task/task-contract.js';
import { encodeTaskRef, type TaskRef } from '../task/task-ref.js';
import type { FollowUpOptions } from './follow-ups.js';
import { settleByHand } from './record-failure.js';
import { TaskContext, type FollowUpReceipt } from './task-context.js';
import type { TaskRun } from './task-run.js';

/** Long enough that a handler that always releases does not spin. */
const DEFAULT_RELEASE_MS = 1_000;

/** Another copy of the library finds the run by it: its interceptors may be bound to a handler that this one runs. */
const RUN = Symbol.for('nestjs-task-streams:run');

/** The context of a task that runs. Apart from its type, so that the type has nothing private and can be faked. */
export class RunContext extends TaskContext {
  readonly #run: TaskRun;

  static {
    Object.defineProperty(this.prototype, RUN, {
      get(this: RunContext) {
        return this.#run;
      },
    });
  }

  constructor(run: TaskRun) {
    super();
    this.#run = run;
  }

  override get ref(): TaskRef {
    return encodeTaskRef({ queue: this.queue, id: this.taskId });
  }

  override get taskId(): string {
    return this.#run.input.envelope.id;
  }

  override get name(): string {
    return this.#run.input.envelope.name;
  }

  override get queue(): string {
    return this.#run.input.delivery.queue;
  }

  override get attempt(): number {
    return this.#run.meta.failedAttempts + 1;
  }

  override get deliveryCount(): number {
    return this.#run.input.delivery.deliveryCount;
  }

  override get idempotencyKey(): string {
    return effectKey(this.queue, this.name, this.#run.idempotencyKey);
  }

  override get bareIdempotencyKey(): string {
    return this.#run.idempotencyKey;
  }

  override get headers(): TaskHeaders {
    return this.#run.input.envelope.headers;
  }

  override get enqueuedAt(): number {
    return this.#run.input.delivery.enqueuedAt;
  }

  override get deadline(): number | undefined {
    const every = this.#run.input.startLimits?.every;
    return every === Infinity ? undefined : every;
  }

  override get signal(): AbortSignal {
    return this.#run.signal;
  }

  override progress(value: unknown): void {
    if (!this.#run.isClosed) this.#run.progress.report(value);
  }

  override log(line: string): void {
    if (!this.#run.isClosed) this.#run.log.add(line, this.attempt);
  }

  override enqueue<P>(task: string | TaskContract<P>, payload: P, options: FollowUpOptions = {}): FollowUpReceipt {
    const { queue, item } = this.#run.followUps.add(task as string | TaskContract, payload, options);
    return { id: item.id, queue, ref: encodeTaskRef({ queue, id: item.id }) };
  }

  override complete(value?: unknown): void {
    this.#requireOpen('complete');
    this.#run.prove({ kind: 'declared', value });
  }

  override release(options: { readonly delayMs?: number } = {}): void {
    this.#requireOpen('release');
    const { delayMs = DEFAULT_RELEASE_MS } = options;
    const error = new RetryLaterError({ delayMs, message: `The handler released the task for ${delayMs} ms` });
    settleByHand(this.#run, error, { kind: 'defer', delayMs: error.delayMs });
  }

  override retry(options: { readonly delayMs?: number; readonly error?: Error } = {}): void {
    this.#requireOpen('retry');
    const { delayMs, error = new RetryRequestedError() } = options;
    const wait = delayMs === undefined ? undefined : new RetryLaterError({ delayMs }).delayMs;
    settleByHand(this.#run, error, { kind: 'retryable' }, wait);
  }

  override deadLetter(reason: string, details?: Readonly<Record<string, unknown>>): void {
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

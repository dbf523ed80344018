import type { ArgumentsHost } from '@nestjs/common';
import { BaseRpcContext } from '@nestjs/microservices';
import type { TaskHeaders } from '../task/envelope.js';
import type { TaskContract } from '../task/task-contract.js';
import { encodeTaskRef, type TaskRef } from '../task/task-ref.js';
import type { FollowUpOptions } from './follow-ups.js';
import type { TaskRun } from './task-run.js';

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

let runOfContext: (context: TaskContext) => TaskRun;

/**
 * What a handler, guard, interceptor, pipe or filter can know about the task, and ask of it. Injected by `@Ctx()`; in
 * enhancers it is `host.switchToRpc().getContext<TaskContext>()`.
 *
 * @publicApi
 */
export class TaskContext extends BaseRpcContext<[name: string, queue: string, taskId: string]> {
  readonly #run: TaskRun;

  static {
    runOfContext = (context) => context.#run;
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
   * The key under which the effect of this task happens once: the one the sender or the handler's `idempotency.key` gave,
   * else the task id. The same over all attempts: hand it to a payment API.
   */
  get idempotencyKey(): string {
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
   * Says that the work is done, for an interceptor that answers in place of the handler. Without it such an answer counts
   * as a failed attempt: a task is never completed because no error came out.
   *
   * @param value The result to keep. Default none.
   */
  complete(value?: unknown): void {
    this.#run.prove({ kind: 'declared', value });
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
  return context instanceof TaskContext ? runOfContext(context) : undefined;
}

/**
 * The run behind a task context.
 *
 * @internal
 */
export function runOf(context: TaskContext): TaskRun {
  return runOfContext(context);
}

import type { Broker } from '../contracts/broker.interface.js';
import type { InboxStore } from '../contracts/inbox-store.interface.js';
import type { ProducerObserver } from '../watch/producer-observer.interface.js';
import { guardTracing } from '../contracts/guard-tracing.js';
import type { TaskTracing } from '../contracts/task-tracing.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { UsageError } from '../task/config-errors.js';
import { requireQueueName } from '../task/names.js';
import type { TaskHeaders } from '../task/envelope.js';
import type { PayloadClass, TaskContract } from '../task/task-contract.js';
import { TaskStreamsError } from '../task/task-streams.error.js';
import { addHeaders } from './add-headers.js';
import { appendMany, type ListedTask } from './append-many.js';
import { toReceipt } from './append-reply.js';
import { wantedDurability } from './check-enqueue-options.js';
import { encodeTask, type EncodedTask, type EncodeDeps } from './encode-task.js';
import { EnqueueBatcher } from './enqueue-batcher.js';
import type { EnqueueOptions, TaskReceipt, TaskReceiptOf } from './enqueue-options.js';
import { observeEnqueue, observeEnqueueMany } from './observe-enqueue.js';
import type { TaskCatalog } from './task-catalog.js';
import { TaskFollower, type TaskFollowerDeps } from './task-follower.js';
import { validatePayload } from './validate-payload.js';

/** What a {@link TaskClient} is made of. */
export interface TaskClientDeps extends TaskFollowerDeps {
  readonly broker: Pick<Broker, 'inbox' | 'tasks'>;
  readonly options: Pick<ResolvedOptions, 'limits' | 'validate' | 'retention' | 'enqueueTimeoutMs'>;
  readonly catalog: TaskCatalog;
  /** The queue for tasks that are sent by name; `undefined` to find it by the name. */
  readonly queue?: string | undefined;
  /** Who hears of what is sent. Default nobody. */
  readonly observer?: ProducerObserver | undefined;
  /** Default none. */
  readonly tracing?: TaskTracing | undefined;
}

/**
 * One task of `enqueueMany`.
 *
 * @publicApi
 */
export interface TaskToEnqueue<P = unknown> {
  /** The contract of the task, or its name. */
  readonly task: TaskContract<P> | string;
  readonly payload: NoInfer<P>;
  readonly options?: EnqueueOptions;
}

/**
 * Sends tasks and looks after them.
 *
 * @publicApi
 */
export class TaskClient extends TaskFollower {
  private readonly inbox: InboxStore;
  private readonly batcher: EnqueueBatcher;
  private readonly encodeDeps: EncodeDeps;
  private readonly isValidating: boolean;
  private readonly observer: ProducerObserver | undefined;
  private readonly tracing: TaskTracing | undefined;

  /** @internal */
  constructor(deps: TaskClientDeps) {
    super(deps);
    this.inbox = deps.broker.inbox;
    this.batcher = new EnqueueBatcher(this.inbox);
    this.isValidating = deps.options.validate;
    this.observer = deps.observer;
    this.tracing = guardTracing(deps.tracing);
    this.encodeDeps = {
      limits: deps.options.limits,
      catalog: deps.catalog,
      defaultQueue: deps.queue === undefined ? undefined : requireQueueName(deps.queue),
    };
  }

  /**
   * Enqueues a task and answers its receipt as soon as Redis has it. The payload is written as JSON at once: what is
   * changed in it afterwards is not sent. Tasks enqueued in one turn of the event loop travel together.
   *
   * @param task The contract of the task, or its name.
   * @param payload What the handler gets, after JSON: a Date arrives as text. `null` for a task without data.
   * @throws PayloadNotSerializableError, PayloadTooLargeError, PayloadInvalidError, InvalidNameError, InvalidOptionError,
   *   UsageError before anything is sent; QueueUnavailableError, QueueFullError, EnqueueRefusedError, TaskConflictError,
   *   DurabilityUnavailableError where it was not enqueued; EnqueueUncertainError, DurabilityNotConfirmedError where it
   *   was or may have been: send it again with the same id.
   */
  enqueue<P, R>(task: TaskContract<P, R>, payload: NoInfer<P>, options?: EnqueueOptions): Promise<TaskReceiptOf<R>>;
  enqueue(task: string, payload: unknown, options?: EnqueueOptions): Promise<TaskReceipt>;
  enqueue(task: TaskContract | string, payload: unknown, options: EnqueueOptions = {}): Promise<TaskReceipt> {
    if (this.observer?.isWatched !== true) return this.send(task, payload, options);
    return observeEnqueue(this.observer, task, (onEncoded) => this.send(task, payload, options, onEncoded));
  }

  /**
   * Enqueues many tasks, to one queue or several; the receipts come in the order of the list. They are sent in calls of
   * up to 50 tasks and one mebibyte, four of which can be under way for each of eight queues (with a `durability`, 500 tasks and
   * one call). Each call is
   * carried out by Redis without a break, but a list of several calls is not: it can end in the middle. Nothing is sent
   * when one of the tasks cannot be.
   *
   * @throws EnqueueManyError which lists the tasks that are in their queues, those that may be, and those that are not;
   *   before anything is sent, the errors of `enqueue`, which begin with the place of the task in the list.
   */
  enqueueMany<const P extends readonly unknown[]>(tasks: {
    readonly [K in keyof P]: TaskToEnqueue<P[K]>;
  }): Promise<TaskReceipt[]> {
    if (this.observer?.isWatched !== true) return this.sendMany(tasks as readonly TaskToEnqueue[]);
    return observeEnqueueMany(this.observer, tasks as readonly TaskToEnqueue[], (onEncoded) =>
      this.sendMany(tasks as readonly TaskToEnqueue[], onEncoded),
    );
  }

  private async send(
    task: TaskContract | string,
    payload: unknown,
    options: EnqueueOptions,
    onEncoded?: (encoded: EncodedTask) => void,
  ): Promise<TaskReceipt> {
    const encoded = encodeTask(task, payload, options, this.encodeDeps);
    const durability = wantedDurability(options);
    const payloadClass = this.classToValidate(task);
    if (payloadClass) await validatePayload(encoded.item.name, payloadClass, encoded.item.body);
    onEncoded?.(encoded);
    const { queue, item } = encoded;
    if (this.tracing === undefined) return toReceipt(queue, item, await this.batcher.append(queue, item, durability));
    return this.tracing.send(encoded, async (headers) => {
      const traced = this.withTrace(encoded, headers).item;
      return toReceipt(queue, traced, await this.batcher.append(queue, traced, durability));
    });
  }

  private async sendMany(
    tasks: readonly TaskToEnqueue[],
    onEncoded?: (encoded: readonly EncodedTask[]) => void,
  ): Promise<TaskReceipt[]> {
    if (!Array.isArray(tasks)) {
      throw new UsageError('enqueueMany was not given an array; give a list of { task, payload, options }.');
    }
    const listed: ListedTask[] = [];
    for (const [index, task] of tasks.entries()) {
      try {
        const encoded = this.encodeListed(task, index);
        const payloadClass = this.classToValidate(task.task);
        if (payloadClass) await validatePayload(encoded.item.name, payloadClass, encoded.item.body);
        listed.push(encoded);
      } catch (error) {
        if (error instanceof TaskStreamsError) error.message = `Task ${index} of the list: ${error.message}`;
        throw error;
      }
    }
    onEncoded?.(listed);
    if (this.tracing === undefined) return appendMany(this.inbox, listed);
    return this.tracing.sendMany(listed, (headers) =>
      appendMany(
        this.inbox,
        listed.map((task, i) => ({ ...task, ...this.withTrace(task, headers[i]) })),
      ),
    );
  }

  private withTrace(task: EncodedTask, headers: TaskHeaders | undefined): EncodedTask {
    return headers === undefined ? task : addHeaders(task, headers, this.encodeDeps.limits.maxHeaders);
  }

  private encodeListed({ task, payload, options = {} }: TaskToEnqueue, index: number): ListedTask {
    const { queue, item } = encodeTask(task, payload, options, this.encodeDeps);
    return { index, queue, item, durability: wantedDurability(options) };
  }

  /** The class that a payload is to be checked against; most tasks have none. */
  private classToValidate(task: TaskContract | string): PayloadClass<unknown> | undefined {
    return typeof task === 'string' || !this.isValidating ? undefined : task.payload;
  }
}

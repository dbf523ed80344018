import type { QueueStore } from '../contracts/queue-store.interface.js';
import { UsageError } from '../task/config-errors.js';
import type { TaskContract } from '../task/task-contract.js';
import type { MessageOptions, TaskHeaders } from '../task/envelope.js';
import { followUpId } from '../task/follow-up-id.js';
import type { FollowUp } from '../task/task-outcome.js';

/**
 * What can be said about a follow-up task, in the words of `TaskClient.enqueue`. It is as durable as the completion of
 * its parent.
 *
 * @publicApi
 */
export interface FollowUpOptions extends Omit<MessageOptions, 'expiry'> {
  /**
   * The id of the task. Default: `<id of the parent>:<when that was enqueued, in base 36>:<place>`, 1 for
   * the first follow-up: the same whenever this parent runs, another one for a later task that has its id.
   */
  readonly id?: string;
  /** The queue. Default: the queue of the contract or of the handler of that name, else `default`. */
  readonly queue?: string;
  /** Tasks of one name and queue with one key have their effect once. Default: the task id. */
  readonly idempotencyKey?: string;
  /** Text that travels beside the payload. Default none. */
  readonly headers?: TaskHeaders;
  /** Milliseconds to wait before the task is run. Not together with `runAt`. */
  readonly delayMs?: number;
  /** When the task is run, as a Date or in milliseconds since 1970. Not together with `delayMs`. */
  readonly runAt?: Date | number;
  /** Milliseconds in which its first attempt must begin; see `EnqueueOptions`. Default: it may wait for ever. */
  readonly ttlMs?: number;
  /** Milliseconds in which every attempt must begin. Not together with `deadline`. Default: none. */
  readonly deadlineMs?: number;
  /** The same as a time, as a Date or in milliseconds since 1970. Not together with `deadlineMs`. Default: none. */
  readonly deadline?: Date | number;
}

/** Makes a follow-up task ready to be appended; throws what `enqueue` throws. The module passes the producer's. */
export type FollowUpEncoder = (task: string | TaskContract, payload: unknown, options: FollowUpOptions) => FollowUp;

/** What the ids of its follow-ups are made of. */
export interface FollowUpParent {
  readonly queue: string;
  readonly id: string;
  /** In milliseconds since 1970 by the clock of Redis. */
  readonly enqueuedAt: number;
}

/** The follow-up tasks of one attempt, in order. */
export class FollowUps {
  readonly #items: FollowUp[] = [];

  constructor(
    private readonly parent: FollowUpParent,
    private readonly encode: FollowUpEncoder,
    private readonly queues: Pick<QueueStore, 'canFollow'>,
  ) {}

  get items(): readonly FollowUp[] {
    return this.#items;
  }

  /** Its id follows from the parent's and its place, so that a parent that runs twice does not have twice the children. */
  add(task: string | TaskContract, payload: unknown, options: FollowUpOptions): FollowUp {
    const { id: parentId, queue, enqueuedAt } = this.parent;
    const id = options.id ?? followUpId(parentId, enqueuedAt, this.#items.length + 1);
    const followUp = this.encode(task, payload, { ...options, id });
    // Before the handler goes on: its effect must not come before a completion that Redis will refuse.
    if (!this.queues.canFollow(queue, followUp.queue)) {
      throw new UsageError(
        `A task of queue "${queue}" cannot enqueue a follow-up to queue "${followUp.queue}": on a Redis Cluster the two are in ` +
          'different slots, and no single step can write to both. Use the queue of the parent, or TaskClient.enqueue with an ' +
          'id that follows from ctx.taskId.',
      );
    }
    this.#items.push(followUp);
    return followUp;
  }

  clear(): void {
    this.#items.length = 0;
  }
}

import type { QueueStore } from '../contracts/queue-store.interface.js';
import { UsageError } from '../task/config-errors.js';
import type { TaskContract } from '../task/task-contract.js';
import { followUpId } from '../task/follow-up-id.js';
import type { FollowUp } from '../task/task-outcome.js';
import type { TaskOptions } from '../task/envelope.js';

/**
 * What can be said about a follow-up task, in the words of `TaskClient.enqueue`. It is as durable as the completion of
 * its parent.
 *
 * @publicApi
 */
export interface FollowUpOptions extends TaskOptions {
  /**
   * The id of the task. Default: `<id of the parent>:<when that was enqueued, in base 36>:<place>`, 1 for
   * the first follow-up: the same whenever this parent runs, another one for a later task that has its id.
   */
  readonly id?: string;
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

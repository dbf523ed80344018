import { Inject, Injectable, Optional } from '@nestjs/common';
import { ACTION_LOG, type ActionLog } from './action-log.interface.js';
import type { DrainablePlace, ForgetIdReply, ForgetKeyReply, QueueStore } from '../contracts/queue-store.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import { requireAction, type ActionOptions } from './check-action.js';
import { recordAction } from './record-action.js';
import { completedRecordMs, type RecordOptions } from '../options/completed-record-ms.js';
import { UsageError } from '../task/config-errors.js';
import { requireIdempotencyKey, requireQueueName, requireTaskId, requireTaskName } from '../task/names.js';
import type { WhoAndWhy } from '../task/who-and-why.js';
import { QueueRemoval } from './queue-removal.js';

/** @publicApi */
export interface RemovalOptions extends ActionOptions {
  /** Hears how many were removed so far, after each step. */
  readonly onProgress?: (removed: RemovedCounts) => void;
  /** Stops it after the step that is on its way; what is left stays as it was. */
  readonly signal?: AbortSignal;
}

/** @publicApi */
export interface DrainOptions extends RemovalOptions {
  /** Remove the tasks that are delayed or wait for their next attempt, too. Default false. */
  readonly delayed?: boolean;
}

/** @publicApi */
export interface PurgeQueueOptions extends RemovalOptions {
  /** The name of the queue once more: what is purged cannot be brought back. */
  readonly confirm: string;
}

/** How many tasks were removed from where. @publicApi */
export type RemovedCounts = Readonly<Record<DrainablePlace, number>>;

/**
 * Stops and empties queues, and forgets idempotency keys, for all processes.
 *
 * @publicApi
 */
@Injectable()
export class QueueControl {
  constructor(
    @Inject(BROKER) private readonly broker: { readonly queues: QueueStore },
    @Inject(RESOLVED_OPTIONS) private readonly options: RecordOptions,
    @Optional() @Inject(ACTION_LOG) private readonly actions?: ActionLog,
  ) {}

  /**
   * Pauses a queue: no worker takes a task from it, until it is resumed, whatever restarts. Workers hear of it within half a
   * second (`timing.promoteMs`). What runs goes on and settles; tasks can be enqueued; delayed tasks stay delayed.
   *
   * @returns false where it was paused already; the first pause stands.
   */
  async pause(queue: string, options: ActionOptions = {}): Promise<boolean> {
    const { actor, reason } = requireAction('pause', options);
    const isChanged = await this.broker.queues.pause(requireQueueName(queue), { by: actor, reason });
    if (isChanged) await recordAction(this.actions, { action: 'pause', queue, actor, reason });
    return isChanged;
  }

  /**
   * Lets the workers of a queue go on; they hear of it within half a second (`timing.promoteMs`).
   *
   * @returns false where it was not paused.
   */
  async resume(queue: string, options: ActionOptions = {}): Promise<boolean> {
    const who = requireAction('resume', options);
    const isChanged = await this.broker.queues.resume(requireQueueName(queue));
    if (isChanged) await recordAction(this.actions, { action: 'resume', queue, ...who });
    return isChanged;
  }

  /** Who paused a queue, when and why; `undefined` where nobody did. */
  async getPause(queue: string): Promise<WhoAndWhy | undefined> {
    return this.broker.queues.getPause(requireQueueName(queue));
  }

  /**
   * Cancels all tasks that wait in a queue, with your reason, in small steps. What is enqueued after it began stays, and so
   * does what runs, with a retry that is parked meanwhile. A task that was there is cancelled also where it became due or was
   * given another time meanwhile. An error leaves the rest as it was: call it again.
   *
   * @returns how many were removed.
   * @throws Error at the end where some could not be removed, because another program wrote over their keys.
   */
  async drain(queue: string, options: DrainOptions = {}): Promise<RemovedCounts> {
    const { delayed = false } = options;
    const places: readonly DrainablePlace[] = delayed ? ['waiting', 'delayed'] : ['waiting'];
    return this.remove('drain', queue, places, options, completedRecordMs(this.options));
  }

  /**
   * Removes all tasks that wait or are delayed, and all dead letters, with everything that is remembered of them, in small
   * steps. What comes after it began stays, and so does what runs. Nothing of it can be brought back.
   *
   * @returns how many were removed.
   * @throws UsageError where `confirm` is not the name of the queue.
   */
  async purge(queue: string, options: PurgeQueueOptions): Promise<RemovedCounts> {
    if (options?.confirm !== queue) {
      throw new UsageError(
        `To purge queue "${queue}", give its name as confirm. Its tasks and dead letters cannot be brought back.`,
      );
    }
    return this.remove('purge', queue, ['waiting', 'delayed', 'dead'], options, 0);
  }

  /**
   * Forgets the id of a task that has ended: completed, cancelled, expired, or dead with its letter discarded. The next task
   * that is enqueued with the id runs, instead of being a duplicate, and its effect can happen a second time. A task that can
   * still run is left alone; so is one whose dead letter is there: redrive or discard that.
   *
   * @throws InvalidNameError for a queue or an id that cannot be one.
   */
  async forgetId(queue: string, id: string, options: ActionOptions = {}): Promise<ForgetIdReply> {
    const who = requireAction('forgetId', options);
    const reply = await this.broker.queues.forgetId(requireQueueName(queue), requireTaskId(id));
    if (reply.kind === 'forgotten')
      await recordAction(this.actions, { action: 'forget-id', queue, taskId: id, ...who });
    return reply;
  }

  /**
   * Forgets that the work of an idempotency key is done: the next task with the key runs, instead of getting the earlier
   * result, and its effect can happen a second time. A key that a running task holds is left alone.
   *
   * Not reached by it: a task without a key of its own, whose id is its key, see {@link forgetId}; and an `IdempotencyStore`
   * of your own has to be asked itself.
   *
   * @param key As the sender gave it (`idempotencyKey`), or the handler computed it.
   * @throws InvalidNameError for a queue, a task or a key that cannot be one.
   */
  async forgetKey(queue: string, taskName: string, key: string, options: ActionOptions = {}): Promise<ForgetKeyReply> {
    const who = requireAction('forgetKey', options);
    const names = [requireQueueName(queue), requireTaskName(taskName), requireIdempotencyKey(key)] as const;
    const reply = await this.broker.queues.forgetKey(...names);
    if (reply.kind === 'forgotten') {
      await recordAction(this.actions, { action: 'forget-key', queue, taskName, key, ...who });
    }
    return reply;
  }

  private async remove(
    action: 'drain' | 'purge',
    queue: string,
    places: readonly DrainablePlace[],
    options: RemovalOptions,
    recordMs: number,
  ): Promise<RemovedCounts> {
    requireQueueName(queue);
    const { actor: by, reason = `the queue was ${action === 'drain' ? 'drained' : 'purged'}` } = requireAction(
      action,
      options,
    );
    const removal = new QueueRemoval(this.broker.queues, queue, { recordMs, by, reason }, options);
    try {
      await removal.run(places);
    } finally {
      await recordAction(this.actions, { action, queue, actor: by, reason, counts: removal.counts });
    }
    return removal.counts;
  }
}

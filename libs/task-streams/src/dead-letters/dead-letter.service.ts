import { Inject, Injectable, Logger, Optional } from '@nestjs/common';

import type {
  DeadLetterPage,
  DeadLetterStore,
  RedrivePlan,
  RedriveReply,
} from '../contracts/dead-letter-store.interface.js';
import { PRODUCER_EVENTS } from '../contracts/event-sources.interface.js';
import type { ProducerObserver } from '../contracts/producer-observer.interface.js';
import { TASK_TRACING, type TaskTracing } from '../contracts/task-tracing.interface.js';
import { BROKER } from '../contracts/tokens.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { DeadLetterNotFoundError, DeadLetterUnreadableError } from '../task/dead-letter-errors.js';
import { requireEntryId, requireQueueName } from '../task/names.js';
import { hashPayload } from '../task/payload-hash.js';
import { FRESH_META } from '../task/task-meta.js';
import { encodeTaskRef, type TaskRef } from '../task/task-ref.js';

const logger = new Logger('DeadLetters');

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1_000;

/** @publicApi */
export interface ListDeadLettersOptions {
  /** The most letters of a page, 1 to 1000. Default 50. */
  readonly limit?: number;
  /** Where the last page ended. Default: the oldest letter. */
  readonly cursor?: string | undefined;
}

/** @publicApi */
export interface RedriveOptions {
  /** A mended payload. Default: the payload as it was. */
  readonly payload?: unknown;
}

/**
 * Reads what was set aside, and sends it again.
 *
 * @publicApi
 */
@Injectable()
export class DeadLetterService {
  constructor(
    @Inject(BROKER) private readonly store: DeadLetterStore,
    @Optional() @Inject(PRODUCER_EVENTS) private readonly events?: ProducerObserver,
    @Optional() @Inject(TASK_TRACING) private readonly tracing?: TaskTracing,
  ) {}

  /** How many dead letters a queue has. */
  count(queue: string): Promise<number> {
    return this.store.countDeadLetters(requireQueueName(queue));
  }

  /** One page of dead letters, oldest first. */
  async list(queue: string, options: ListDeadLettersOptions = {}): Promise<DeadLetterPage> {
    const limit = Math.min(Math.max(Math.trunc(options.limit ?? DEFAULT_PAGE), 1), MAX_PAGE);
    const cursor = options.cursor === undefined ? undefined : requireEntryId('Cursor', options.cursor);
    return this.store.listDeadLetters(requireQueueName(queue), limit, cursor);
  }

  /** One dead letter, `undefined` where it is not there. */
  async get(queue: string, entryId: string): Promise<DeadLetter | undefined> {
    return this.store.getDeadLetter(requireQueueName(queue), requireEntryId('Dead letter', entryId));
  }

  /**
   * Puts one dead letter back into its queue, under its own task id, with all its attempts before it.
   *
   * @returns the reference of the task.
   * @throws InvalidNameError for an id that is none, DeadLetterNotFoundError when it is not there (any more), DeadLetterUnreadableError when it is no task.
   */
  async redrive(queue: string, entryId: string, options: RedriveOptions = {}): Promise<{ readonly ref: TaskRef }> {
    const letter = await this.get(queue, entryId);
    if (!letter) throw new DeadLetterNotFoundError(queue, entryId);
    const json = 'payload' in options ? JSON.stringify(options.payload) : undefined;
    const reply = await this.send(letter, {
      entryId,
      meta: { ...FRESH_META, redriveCount: letter.redriveCount + 1 },
      body: json === undefined ? undefined : { json, hash: hashPayload(json) },
    });
    if (reply.kind === 'gone') throw new DeadLetterNotFoundError(queue, entryId);
    if (reply.kind === 'unreadable') throw new DeadLetterUnreadableError(queue, entryId);
    return { ref: encodeTaskRef({ queue, id: reply.taskId }) };
  }

  private async send(letter: DeadLetter, plan: RedrivePlan): Promise<RedriveReply> {
    const { queue } = letter;
    const send = (): Promise<RedriveReply> => this.store.redrive(queue, plan);
    const reply = await (this.tracing ? this.tracing.redrive(letter, send) : send());
    if (reply.kind === 'redriven') this.tell(queue, reply, plan.body !== undefined);
    return reply;
  }

  private tell(queue: string, reply: Extract<RedriveReply, { kind: 'redriven' }>, isMended: boolean): void {
    const { taskId, name, entryId } = reply;
    logger.log(`Task ${name} ${taskId} was redriven${isMended ? ' with another payload' : ''}`, {
      event: 'task.redriven',
      taskId,
      task: name,
      queue,
      entryId,
      isMended,
    });
    if (this.events?.isWatched) this.events.observe({ kind: 'redriven', queue, taskId, name, entryId, isMended });
  }
}

import { withoutFullStop } from './sentence.js';
import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * A task with this id is known already, under another name or with another payload.
 *
 * @publicApi
 */
@ErrorName('TaskConflictError')
export class TaskConflictError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_TASK_CONFLICT';

  constructor(
    readonly taskId: string,
    queue: string,
  ) {
    super(
      `A task with id "${taskId}" is already known in queue "${queue}", under another name or with another payload. ` +
        'Use a new id for new work; to send the same work again, send it unchanged.',
    );
  }
}

/**
 * The payload is larger than the limit. Nothing was sent.
 *
 * @publicApi
 */
@ErrorName('PayloadTooLargeError')
export class PayloadTooLargeError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_PAYLOAD_TOO_LARGE';

  constructor(taskName: string, bytes: number, maxBytes: number) {
    super(
      `The payload of task "${taskName}" has ${bytes} bytes as JSON; the limit is ${maxBytes}. Store the data ` +
        'elsewhere and send a reference, or raise limits.maxPayloadBytes.',
    );
  }
}

/**
 * The payload cannot be written as JSON. Nothing was sent.
 *
 * @publicApi
 */
@ErrorName('PayloadNotSerializableError')
export class PayloadNotSerializableError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_PAYLOAD_NOT_SERIALIZABLE';

  constructor(
    taskName: string,
    readonly path: string,
    what: string,
    options?: ErrorOptions,
  ) {
    super(
      `The payload of task "${taskName}" cannot be sent: ${what} at ${path}. Send plain JSON data ` +
        '(big integers as strings).',
      options,
    );
  }
}

/**
 * The payload does not satisfy the payload class of its contract. Nothing was sent.
 *
 * @publicApi
 */
@ErrorName('PayloadInvalidError')
export class PayloadInvalidError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_PAYLOAD_INVALID';

  constructor(
    taskName: string,
    readonly violations: readonly string[],
  ) {
    super(`The payload of task "${taskName}" is not valid: ${violations.join('; ')}. Mend the fields named here.`);
  }
}

/**
 * Redis could not be reached in time, or answered with an error. Nothing was enqueued. The message has the reply, or what
 * was tried for how long and where, and what to do.
 *
 * @publicApi
 */
@ErrorName('QueueUnavailableError')
export class QueueUnavailableError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_QUEUE_UNAVAILABLE';
  private readonly cure: string | undefined;

  /** @param cure What to do: one sentence without its full stop. */
  constructor(
    readonly taskIds: readonly string[],
    private readonly reason: string,
    options?: ErrorOptions & { readonly cure?: string | undefined },
  ) {
    const cure = options?.cure ?? 'Check that Redis answers there';
    super(`Not enqueued: ${withoutFullStop(reason)}. ${cure}, then send again with the same id.`, options);
    this.cure = options?.cure;
  }

  /** The same failure told to the sender of one task of the batch. @internal */
  forTask(taskId: string): QueueUnavailableError {
    return new QueueUnavailableError([taskId], this.reason, { cause: this.cause, cure: this.cure });
  }
}

/** How full a queue with a limit is. */
export interface QueueBacklog {
  readonly queue: string;
  readonly waiting: number;
  readonly limit: number;
}

/**
 * The queue has as many waiting tasks as its `maxBacklog` allows, or Redis refused the write because its memory is full.
 * Nothing was enqueued.
 *
 * @publicApi
 */
@ErrorName('QueueFullError')
export class QueueFullError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_QUEUE_FULL';
  /** How many tasks wait in the queue; `undefined` where it is the memory of Redis that is full. */
  readonly waiting: number | undefined;
  /** The `maxBacklog` of the queue; `undefined` where it is the memory of Redis that is full. */
  readonly limit: number | undefined;

  constructor(
    readonly taskIds: readonly string[],
    options?: ErrorOptions,
    backlog?: QueueBacklog,
  ) {
    super(
      backlog
        ? `Not enqueued: ${backlog.waiting} tasks wait in queue "${backlog.queue}", and its maxBacklog is ` +
            `${backlog.limit}. Send again later with the same id, let enqueue wait (onFull: 'wait'), or add workers.`
        : 'Not enqueued: Redis is at its maxmemory and refuses writes. Workers go on emptying it; send again later with ' +
            'the same id, or give Redis more memory.',
      options,
    );
    this.waiting = backlog?.waiting;
    this.limit = backlog?.limit;
  }

  /** The same failure told to the sender of one task of the batch. @internal */
  forTask(taskId: string): QueueFullError {
    return new QueueFullError([taskId], { cause: this.cause });
  }
}

/**
 * The connection broke after the command was sent: the tasks may or may not be in the queue. Send them again **with the
 * same ids**: a task that is there already is not added twice.
 *
 * @publicApi
 */
@ErrorName('EnqueueUncertainError')
export class EnqueueUncertainError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_ENQUEUE_UNCERTAIN';

  constructor(
    readonly taskIds: readonly string[],
    private readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(
      `It is not known whether the task was enqueued (${withoutFullStop(reason)}). Send it again with the same id ` +
        `(${taskIds.slice(0, 3).join(', ')}${taskIds.length > 3 ? ', …' : ''}): it is added at most once.`,
      options,
    );
  }

  /** The same failure told to the sender of one task of the batch. @internal */
  forTask(taskId: string): EnqueueUncertainError {
    return new EnqueueUncertainError([taskId], this.reason, { cause: this.cause });
  }
}

/**
 * Redis refused the task with an error reply. Nothing was enqueued.
 *
 * @publicApi
 */
@ErrorName('EnqueueRefusedError')
export class EnqueueRefusedError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_ENQUEUE_REFUSED';

  constructor(
    readonly taskId: string,
    queue: string,
    reply: string,
    cure = 'Look at the keys of this queue in Redis; another program may have written to them',
  ) {
    super(`Queue "${queue}" refused task ${taskId}: ${withoutFullStop(reply)}. ${cure}.`);
  }
}

/**
 * This Redis cannot give the durability that was asked for. Nothing was enqueued.
 *
 * @publicApi
 */
@ErrorName('DurabilityUnavailableError')
export class DurabilityUnavailableError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_DURABILITY_UNAVAILABLE';

  constructor(wanted: string, found: string) {
    super(
      `Not enqueued: durability ${wanted} was asked for, but ${found}. Change the server, or ask for less ` +
        "(durability: 'memory').",
    );
  }
}

/**
 * The task **is** in the queue, but the durability that was asked for was not confirmed in time. Send it again with the
 * same id to ask for the confirmation once more.
 *
 * @publicApi
 */
@ErrorName('DurabilityNotConfirmedError')
export class DurabilityNotConfirmedError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_DURABILITY_NOT_CONFIRMED';

  constructor(
    readonly taskIds: readonly string[],
    private readonly wanted: string,
    private readonly found: string,
    options?: ErrorOptions,
  ) {
    super(
      `The task is in the queue, but durability ${wanted} was not confirmed: ${found}. Send it again with the same id ` +
        `(${taskIds.slice(0, 3).join(', ')}${taskIds.length > 3 ? ', …' : ''}) to ask once more.`,
      options,
    );
  }

  /** The same failure told to the sender of one task of the batch. @internal */
  forTask(taskId: string): DurabilityNotConfirmedError {
    return new DurabilityNotConfirmedError([taskId], this.wanted, this.found, { cause: this.cause });
  }
}

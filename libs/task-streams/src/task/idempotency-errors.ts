import { RetryLaterError } from './handler-errors.js';
import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * The same idempotency key came with another payload: one of the two senders has a bug. The task becomes a dead letter
 * with reason `idempotency-conflict`.
 *
 * @publicApi
 */
@ErrorName('IdempotencyConflictError')
export class IdempotencyConflictError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_IDEMPOTENCY_CONFLICT';

  constructor(taskName: string, key: string) {
    super(
      `Task "${taskName}": the idempotency key "${key}" was used before with another payload. ` +
        'Send the same payload under a key, or a new key for a new payload.',
    );
  }
}

/**
 * The work under this idempotency key is done already, and the handler says `onDuplicate: 'throw'`. The task becomes a
 * dead letter with reason `duplicate`.
 *
 * @publicApi
 */
@ErrorName('DuplicateTaskError')
export class DuplicateTaskError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_DUPLICATE_TASK';

  constructor(taskName: string, key: string) {
    super(
      `Task "${taskName}": the work under the idempotency key "${key}" is done already, and its handler refuses ` +
        "duplicates (onDuplicate: 'throw'). Find out why it was sent twice; send a new key for new work.",
    );
  }
}

/**
 * Another task with the same idempotency key is running. The task is put off until the other one has ended; no attempt
 * is counted.
 *
 * @publicApi
 */
@ErrorName('IdempotencyBusyError')
export class IdempotencyBusyError extends RetryLaterError {
  override readonly code = 'TASK_STREAMS_IDEMPOTENCY_BUSY';

  constructor(taskName: string, key: string, delayMs: number) {
    super({
      delayMs,
      message: `Task "${taskName}": another task with the idempotency key "${key}" is still running`,
    });
  }
}

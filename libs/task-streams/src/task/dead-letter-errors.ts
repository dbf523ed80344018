import { ErrorName, TaskStreamsError } from './task-streams.error.js';

/**
 * There is no such dead letter: it was never there, was redriven, or is past its retention.
 *
 * @publicApi
 */
@ErrorName('DeadLetterNotFoundError')
export class DeadLetterNotFoundError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_DEAD_LETTER_NOT_FOUND';

  constructor(queue: string, entryId: string) {
    super(`Queue "${queue}" has no dead letter ${entryId}: list them again, it may have been redriven already.`);
  }
}

/** Why {@link RedriveRefusedError} was thrown. */
type RedriveRefusal = 'live' | 'succeeded' | 'max-redrives';

const WHY: Readonly<Record<RedriveRefusal, string>> = {
  live: 'its task is in the queue already, with the same id. Discard the letter, or wait until that one has ended.',
  succeeded:
    'its task, or its idempotency key, is done already, so that running it would have its effect twice. Discard the letter, or redrive it with { force: true }.',
  'max-redrives':
    'it came back as often as maxRedrives allows. Mend what is wrong and redrive it with { force: true }, or a larger maxRedrives.',
};

/**
 * The dead letter was left where it is, because running its task again would do harm.
 *
 * @publicApi
 */
@ErrorName('RedriveRefusedError')
export class RedriveRefusedError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_REDRIVE_REFUSED';

  constructor(
    queue: string,
    entryId: string,
    readonly reason: RedriveRefusal,
  ) {
    super(`Dead letter ${entryId} of queue "${queue}" was not redriven: ${WHY[reason]}`);
  }
}

/**
 * The dead letter holds no task (an entry without an id or a name): it can be read, but not run again.
 *
 * @publicApi
 */
@ErrorName('DeadLetterUnreadableError')
export class DeadLetterUnreadableError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_DEAD_LETTER_UNREADABLE';

  constructor(queue: string, entryId: string) {
    super(
      `Dead letter ${entryId} of queue "${queue}" has no task id or no task name, so it cannot be run again. ` +
        'Enqueue a new task with the data in it.',
    );
  }
}

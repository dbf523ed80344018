import { TaskStreamsError } from './task-streams.error.js';

/**
 * There is no such dead letter: it was never there, was redriven, or is past its retention.
 *
 * @publicApi
 */
export class DeadLetterNotFoundError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_DEAD_LETTER_NOT_FOUND';

  constructor(queue: string, entryId: string) {
    super(`Queue "${queue}" has no dead letter ${entryId}: list them again, it may have been redriven already.`);
  }
}

/**
 * The dead letter holds no task (an entry without an id or a name): it can be read, but not run again.
 *
 * @publicApi
 */
export class DeadLetterUnreadableError extends TaskStreamsError {
  readonly code = 'TASK_STREAMS_DEAD_LETTER_UNREADABLE';

  constructor(queue: string, entryId: string) {
    super(
      `Dead letter ${entryId} of queue "${queue}" has no task id or no task name, so it cannot be run again. ` +
        'Enqueue a new task with the data in it.',
    );
  }
}

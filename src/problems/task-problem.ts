import type { TaskStreamsError } from 'nestjs-task-streams';
import { ProblemException } from './problem.js';

const RETRY_AFTER_SECONDS = 5;

/** What an error of the library means to somebody who sent an HTTP request; a code not listed is a fault of ours. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  TASK_STREAMS_INVALID_NAME: 400,
  TASK_STREAMS_PAYLOAD_INVALID: 400,
  TASK_STREAMS_PAYLOAD_NOT_SERIALIZABLE: 400,
  TASK_STREAMS_PAYLOAD_TOO_LARGE: 413,
  TASK_STREAMS_DEAD_LETTER_NOT_FOUND: 404,
  TASK_STREAMS_DEAD_LETTER_UNREADABLE: 409,
  TASK_STREAMS_TASK_CONFLICT: 422,
  TASK_STREAMS_QUEUE_UNAVAILABLE: 503,
  TASK_STREAMS_REDIS_UNAVAILABLE: 503,
  TASK_STREAMS_QUEUE_FULL: 503,
  TASK_STREAMS_ENQUEUE_UNCERTAIN: 503,
  TASK_STREAMS_DURABILITY_UNAVAILABLE: 503,
  TASK_STREAMS_DURABILITY_NOT_CONFIRMED: 503,
};

/** The refusal that an error of the library comes to. Its message says what to do, so it is sent as it is. */
export function taskProblem(error: TaskStreamsError): ProblemException {
  const status = STATUS_BY_CODE[error.code] ?? 500;
  return new ProblemException(status, error.message, {
    code: error.code,
    cause: error,
    ...('violations' in error ? { errors: error.violations as readonly string[] } : {}),
    ...(status === 503 ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {}),
  });
}

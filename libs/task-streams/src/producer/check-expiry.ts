import { milliseconds } from '../options/check-option.js';
import { InvalidOptionError } from '../task/config-errors.js';
import type { MessageExpiry } from '../task/envelope.js';
import { MESSAGE_BOUNDS } from '../task/limits.js';
import { dueTime, requireTime } from './check-due-time.js';
import type { EnqueueOptions } from './enqueue-options.js';

const checkTtl = milliseconds(MESSAGE_BOUNDS.ttlMs.min, MESSAGE_BOUNDS.ttlMs.max);
const checkDeadline = milliseconds(MESSAGE_BOUNDS.deadlineMs.min, MESSAGE_BOUNDS.deadlineMs.max);

/**
 * How long the task is worth running; `undefined` where nothing was said. What counts from the end of the delay carries
 * the delay along: the worker knows when the task was enqueued, not when it was due.
 *
 * @throws InvalidOptionError
 * @internal
 */
export function messageExpiry(options: EnqueueOptions): MessageExpiry | undefined {
  const { ttlMs, deadline, deadlineMs } = options;
  if (ttlMs === undefined && deadline === undefined && deadlineMs === undefined) return undefined;
  if (deadline !== undefined && deadlineMs !== undefined) {
    throw new InvalidOptionError('enqueue.deadline', deadline, 'deadlineMs is given too; give one of them');
  }
  const { delayMs, runAt } = dueTime(options);
  return {
    ...(ttlMs === undefined ? {} : { ttlMs: checkTtl('enqueue.ttlMs', ttlMs) }),
    ...(deadline === undefined ? {} : { deadline: requireTime('enqueue.deadline', deadline) }),
    ...(deadlineMs === undefined ? {} : { deadlineMs: checkDeadline('enqueue.deadlineMs', deadlineMs) }),
    ...(delayMs === 0 ? {} : { delayMs }),
    ...(runAt === 0 ? {} : { runAt }),
  };
}

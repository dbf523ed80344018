import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { TaskContext } from '../pipeline/task-context.js';

/**
 * The id of the task, the same over all attempts.
 *
 * @publicApi
 */
export const TaskId = contextParam((context) => context.taskId);

/**
 * Which attempt this is, 1 for the first.
 *
 * @publicApi
 */
export const Attempt = contextParam((context) => context.attempt);

/**
 * An AbortSignal that aborts when the attempt should stop.
 *
 * @publicApi
 */
export const TaskSignal = contextParam((context) => context.signal);

function contextParam(read: (context: TaskContext) => unknown): () => ParameterDecorator {
  return createParamDecorator((_data: unknown, host: ExecutionContext) =>
    read(host.switchToRpc().getContext<TaskContext>()),
  );
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { TaskContext } from './task-context.js';

/**
 * What a log line can say about the task it was written in.
 *
 * @publicApi
 */
export interface TaskLogFields {
  readonly taskId: string;
  /** The name of the task. */
  readonly task: string;
  readonly queue: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

const STORAGE = Symbol.for('nestjs-task-streams:current-task');

/** One for all copies of the library in the process, and empty until the first task is run in it: nothing is followed before. */
const storage = ((globalThis as { [STORAGE]?: AsyncLocalStorage<TaskContext> })[STORAGE] ??= new AsyncLocalStorage());

/**
 * The context of the task whose handler, guard, interceptor, pipe or filter is running; `undefined` outside of one, and
 * without the module's `asyncContext`.
 *
 * @publicApi
 */
export function currentTask(): TaskContext | undefined {
  return storage.getStore();
}

/**
 * The same as fields for a log line; an empty object outside of a task.
 *
 * @example
 * LoggerModule.forRoot({ pinoHttp: { mixin: taskLogFields } })
 *
 * @publicApi
 */
export function taskLogFields(): TaskLogFields | Record<string, never> {
  const context = storage.getStore();
  if (context === undefined) return {};
  const { taskId, name: task, queue, attempt } = context;
  return { taskId, task, queue, attempt };
}

/**
 * Runs work as part of a task.
 *
 * @internal
 */
export function runAsTask<T>(context: TaskContext, work: () => T): T {
  return storage.run(context, work);
}

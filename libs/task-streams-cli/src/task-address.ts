import type { TaskSnapshot } from 'nestjs-task-streams';
import type { TaskStreamsAdmin } from 'nestjs-task-streams/admin';
import { NoFault } from './faults.js';

/** What names a task on the command line: its queue and id, or its ref alone. */
export const TASK_ARGUMENTS = [
  ['<queue>', 'its queue, or its ref and no id'],
  ['[id]', 'its id'],
] as const;

/** What the library takes for a task. */
export function taskOf(
  queue: string,
  id: string | undefined,
): string | { readonly queue: string; readonly id: string } {
  return id === undefined ? queue : { queue, id };
}

/** @throws NoFault where nothing is known of it. */
export async function requireTask(
  admin: TaskStreamsAdmin,
  queue: string,
  id: string | undefined,
): Promise<TaskSnapshot> {
  const task = await admin.tasks.get(taskOf(queue, id));
  if (task === undefined) throw unknownTask(queue, id);
  return task;
}

/** The fault of a task that is not known. */
export function unknownTask(queue: string, id: string | undefined): NoFault {
  const which = id === undefined ? `The task ${queue}` : `Task ${id} of queue "${queue}"`;
  return new NoFault(`${which} is not known: it was never enqueued, or its record is past its retention.`);
}

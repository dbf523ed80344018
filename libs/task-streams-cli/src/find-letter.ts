import type { TaskSnapshot } from 'nestjs-task-streams';
import type { TaskStreamsAdmin } from 'nestjs-task-streams/admin';
import { NoFault } from './faults.js';

/** A letter is written in the same step as the end of its task; what a clock that was set back may put between them. */
const NEAR_MS = 2_000;
const MAX_PAGES = 20;

/**
 * The dead letter of a task that is dead, by when it died: letters cannot be found by the id of their task.
 *
 * @throws NoFault where it is not there.
 */
export async function findLetter(admin: TaskStreamsAdmin, task: TaskSnapshot): Promise<string> {
  const diedAt = task.finishedAt?.getTime() ?? 0;
  const range = { task: task.name, from: Math.max(0, diedAt - NEAR_MS), to: diedAt + NEAR_MS };
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await admin.letters.list(task.queue, { ...range, cursor, limit: 500 });
    const letter = found.letters.find(({ taskId }) => taskId === task.id);
    if (letter?.entryId !== undefined) return letter.entryId;
    cursor = found.cursor;
    if (cursor === undefined) break;
  }
  throw new NoFault(
    `The dead letter of task ${task.id} was not found: it was discarded, or is past its retention. ` +
      `See task-streams dlq ls ${task.queue} --task ${task.name}`,
  );
}

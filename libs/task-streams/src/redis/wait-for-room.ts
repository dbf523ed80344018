import type { AppendBatchReply } from '../contracts/broker.interface.js';
import { errorForTask } from '../task/batch-error.js';
import type { EnqueueItem } from '../task/task-outcome.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

/**
 * Sends the tasks that a full queue refused again, until there is room for all of them or the deadline has come. What was
 * added stays added, whatever happens to the others.
 *
 * @param first The answer to all items.
 * @param append Sends some of them again.
 */
export async function waitForRoom(
  first: AppendBatchReply,
  items: readonly EnqueueItem[],
  deadline: number,
  append: (refused: readonly EnqueueItem[]) => Promise<AppendBatchReply>,
): Promise<AppendBatchReply> {
  const replies = [...first.replies];
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const refused = items.flatMap((item, at) => (replies[at]?.kind === 'full' ? [{ item, at }] : []));
    if (refused.length === 0 || Date.now() + pauseMs >= deadline) return { ...first, replies };
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    try {
      const again = await append(refused.map(({ item }) => item));
      refused.forEach(({ at }, i) => {
        const reply = again.replies[i];
        if (reply) replies[at] = reply;
      });
    } catch (error) {
      for (const { item, at } of refused) replies[at] = { kind: 'failed', error: errorForTask(error, item.id) };
    }
  }
}

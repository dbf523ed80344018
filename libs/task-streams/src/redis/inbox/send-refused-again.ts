import type { AppendBatchReply, AppendReply } from '../../contracts/inbox-store.interface.js';
import { classifyRedisError, replyError } from '../../policy/redis-error.js';
import { errorForTask } from '../../task/batch-error.js';
import { QueueUnavailableError } from '../../task/producer-errors.js';
import type { EnqueueItem } from '../../task/task-outcome.js';
import { pause } from '../../time/pause.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
/** With less time left a call would hardly be answered, and what is known of a task would be lost: that its queue was full. */
const SHORTEST_CALL_MS = 100;

export interface Again {
  /** In milliseconds since 1970. */
  readonly deadline: number;
  /** Whether a task with this answer is sent again. */
  readonly isWanted: (reply: AppendReply) => boolean;
  readonly append: (refused: readonly EnqueueItem[]) => Promise<AppendBatchReply>;
}

/**
 * Sends the tasks again that were not taken for a reason that passes (a full queue, a slot on the move), until each is taken or
 * the deadline has come. What was added stays added, whatever happens to the others.
 *
 * @param first The answer to all items.
 */
export async function sendRefusedAgain(
  first: AppendBatchReply,
  items: readonly EnqueueItem[],
  { deadline, isWanted, append }: Again,
): Promise<AppendBatchReply> {
  if (!first.replies.some(isWanted)) return first;
  const replies = [...first.replies];
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const refused = items.flatMap((item, at) => {
      const reply = replies[at];
      return reply && isWanted(reply) ? [{ item, at }] : [];
    });
    if (refused.length === 0) return { ...first, replies };
    if (Date.now() + pauseMs + SHORTEST_CALL_MS >= deadline) break;
    await pause(pauseMs);
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
  return { ...first, replies: replies.map((reply, at) => lateReply(reply, items[at])) };
}

/** Whether the task was refused because its slot is on the way to another server. */
export function isMoving(reply: AppendReply): boolean {
  return reply.kind === 'refused' && classifyRedisError(replyError(reply.reply)) === 'transient';
}

function lateReply(reply: AppendReply, item: EnqueueItem | undefined): AppendReply {
  if (reply.kind !== 'refused' || !isMoving(reply) || !item) return reply;
  const cause = replyError(reply.reply);
  return { kind: 'failed', error: new QueueUnavailableError([item.id], `Redis answered: ${cause.message}`, { cause }) };
}

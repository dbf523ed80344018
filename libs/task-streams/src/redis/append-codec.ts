import type { AppendReply } from '../contracts/broker.interface.js';
import { encodeHead } from '../task/entry-head.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import type { ScriptArgument } from './run-script.js';

/** The arguments of one task for `append_task`. */
export function itemArguments(item: EnqueueItem): ScriptArgument[] {
  return [encodeHead(item), item.body, item.delayMs + item.runAt === 0 ? '' : `${item.delayMs} ${item.runAt}`];
}

/** Reads the replies of append.lua. */
export function decodeAppendReplies(replies: unknown): AppendReply[] {
  return (replies as readonly (string | readonly [string, string, string])[]).map((reply) => {
    if (typeof reply === 'string') return decodePlainReply(reply);
    const [kind, entryId, state] = reply;
    if (kind === 'conflict') return { kind };
    if (kind === 'full') return { kind, waiting: Number(entryId), limit: Number(state) };
    return { kind: kind as 'added' | 'duplicate', entryId: entryId === '-' ? undefined : entryId, state };
  });
}

function decodePlainReply(reply: string): AppendReply {
  const error = /^error:(.*)$/s.exec(reply);
  return error ? { kind: 'refused', reply: error[1] ?? '' } : { kind: 'added', entryId: reply, state: 'waiting' };
}

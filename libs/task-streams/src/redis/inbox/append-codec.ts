import type { AppendReply } from '../../contracts/inbox-store.interface.js';
import { encodeHead } from '../../task/entry-head.js';
import { hashPayload } from '../../task/payload-hash.js';
import type { EnqueueItem } from '../../task/task-outcome.js';
import type { ScriptArgument } from '../connection/run-script.js';

/**
 * Of larger bodies, in characters, the hash travels with the task: a worker has it then, and need not make it. Of smaller
 * ones it is made by who asks for it, and most are never asked for.
 */
const LARGE_BODY = 4_096;

/** The arguments of one task for `append_task`. */
export function itemArguments(item: EnqueueItem): ScriptArgument[] {
  return [encodeHead(item), item.body, whenArgument(item)];
}

function whenArgument({ delayMs, runAt, body }: EnqueueItem): string {
  if (body.length > LARGE_BODY) return `${delayMs} ${runAt} ${hashPayload(body)}`;
  return delayMs + runAt === 0 ? '' : `${delayMs} ${runAt}`;
}

type RawReply = string | readonly [string, string, string];

/** Reads the replies of append.lua. */
export function decodeAppendReplies(replies: unknown): AppendReply[] {
  if (typeof replies === 'string') return replies.split(' ').map(added);
  return (replies as readonly RawReply[]).map(decodeReply);
}

function decodeReply(reply: RawReply): AppendReply {
  if (typeof reply === 'string') return decodePlainReply(reply);
  const [kind, entryId, state] = reply;
  if (kind === 'conflict') return { kind };
  if (kind === 'full') return { kind, waiting: Number(entryId), limit: Number(state) };
  return { kind: kind as 'added' | 'duplicate', entryId: entryId === '-' ? undefined : entryId, state };
}

function decodePlainReply(reply: string): AppendReply {
  const error = /^error:(.*)$/s.exec(reply);
  return error ? { kind: 'refused', reply: error[1] ?? '' } : added(reply);
}

function added(entryId: string): AppendReply {
  return { kind: 'added', entryId, state: 'waiting' };
}

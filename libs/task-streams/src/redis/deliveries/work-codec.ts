import type { MarkedEntry, SettleReply } from '../../contracts/work-store.interface.js';
import { decodeCancelMark } from '../../task/cancel-request.js';

/** What turn.lua returns. */
export type RawTurn = readonly [
  /** Their number where each is `done`. */
  replies: number | readonly string[],
  now: string,
  deliveries: unknown,
  error: string,
  droppedCount: number,
  blocked: readonly string[],
];

/** What reclaim.lua returns. */
export type ReclaimRow = readonly [string, unknown, readonly string[], string, number, number, readonly string[]];

/** What promote.lua returns. */
export type LookRow = readonly [
  moved: number,
  nextInMs: string,
  blocked: string,
  paused: number,
  marks: readonly string[],
];

const DONE: SettleReply = Object.freeze({ kind: 'done' });

export function decodeSettleReplies(replies: RawTurn[0], places: readonly number[] | undefined): SettleReply[] {
  if (typeof replies === 'number') return Array<SettleReply>(replies).fill(DONE);
  const decoded = replies.map(decodeSettleReply);
  return places ? places.map((place) => decoded[place] as SettleReply) : decoded;
}

function decodeSettleReply(reply: string): SettleReply {
  if (reply.startsWith(MARK)) return { kind: 'refused', reply: withoutMark(reply) };
  if (reply.startsWith(FOLLOW_UP)) return { kind: 'follow-up-refused', why: reply.slice(FOLLOW_UP.length) };
  return { kind: reply as PlainReply };
}

type PlainReply = Exclude<SettleReply['kind'], 'refused' | 'follow-up-refused'>;

const MARK = 'error:';
const FOLLOW_UP = 'follow-up:';

export function withoutMark(text: string): string {
  return text.slice(MARK.length);
}

export function decodeMarks(marks: readonly string[]): MarkedEntry[] {
  const marked: MarkedEntry[] = [];
  for (let i = 0; i < marks.length; i += 2) {
    marked.push({ entryId: marks[i] as string, request: decodeCancelMark(marks[i + 1] as string) });
  }
  return marked;
}

import type { DeadLetterPage, DeadLetterStore } from '../contracts/dead-letter-store.interface.js';
import type { DeadLetter } from '../task/dead-letter.js';
import type { ParsedQuery } from './dead-letter-query.js';

type Source = Pick<DeadLetterStore, 'list'>;

/** The most letters one page with a filter looks at, and about the most bytes of any page. */
const MAX_LOOKED_AT = 500;
const MAX_PAGE_BYTES = 16 * 1_048_576;

const FIRST_CHUNK = 50;
const MAX_CHUNK = 250;
const CHUNK_BYTES = 1_048_576;

/** How many letters to ask for at a time: few where they are large, so that neither side holds much at once. */
class ChunkSize {
  private size = FIRST_CHUNK;

  next(most = MAX_CHUNK): number {
    return Math.max(1, Math.min(this.size, most));
  }

  /** Answers how many bytes there were. */
  saw(letters: readonly DeadLetter[]): number {
    const bytes = letters.reduce((sum, { body = '' }) => sum + body.length + 1_000, 0);
    if (letters.length > 0) this.size = Math.min(MAX_CHUNK, Math.ceil((CHUNK_BYTES / bytes) * letters.length));
    return bytes;
  }
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly isNewestFirst: boolean;
}

/** One page of the letters that match. It looks at a bounded number of them, so it may be short with more to come. */
export async function readPage(
  store: Source,
  queue: string,
  query: ParsedQuery,
  { limit, cursor, isNewestFirst }: PageRequest,
): Promise<DeadLetterPage> {
  const range = { ...query.range, isNewestFirst };
  const found: DeadLetter[] = [];
  const chunk = new ChunkSize();
  const most = query.isAll ? limit : MAX_LOOKED_AT;
  let after = cursor;
  for (let seen = 0, bytes = 0; seen < most && bytes < MAX_PAGE_BYTES;) {
    const page = await store.list(queue, chunk.next(most - seen), after, range);
    if (!isNewestFirst && isPast(page.letters, query)) return { letters: found, cursor: undefined };
    const used = takeMatching(page.letters, query, found, limit);
    after = page.letters[used - 1]?.entryId ?? after;
    if (used === page.letters.length && page.cursor === undefined) return { letters: found, cursor: undefined };
    if (found.length === limit) break;
    seen += used;
    bytes += chunk.saw(page.letters);
  }
  return { letters: found, cursor: after };
}

/** How far the clocks of servers that followed each other may be apart: letters lie in the order in which they came. */
const MAX_CLOCK_GAP_MS = 3_600_000;

/** Whether what comes from here on came too late to match. One alone tells nothing: it may be written by hand. */
function isPast(letters: readonly DeadLetter[], { until }: ParsedQuery): boolean {
  return letters.length > 0 && letters.every(({ at }) => at > until + MAX_CLOCK_GAP_MS);
}

/** Answers how many letters were looked at until there were enough. */
function takeMatching(letters: readonly DeadLetter[], query: ParsedQuery, found: DeadLetter[], limit: number): number {
  for (const [i, letter] of letters.entries()) {
    if (query.matches(letter)) found.push(letter);
    if (found.length === limit) return i + 1;
  }
  return letters.length;
}

/** What one step of a scan came to. */
export interface ScanStep {
  readonly letters: readonly DeadLetter[];
  /** The last letter that was looked at; what comes after it is still to be looked at. */
  readonly lookedAt: string;
  readonly lookedAtCount: number;
}

/** All letters that match, oldest first, in steps; ends at the entry `until`, so that what dies meanwhile is left out. */
export async function* scanLetters(
  store: Source,
  queue: string,
  query: ParsedQuery,
  { after, until }: { readonly after: string | undefined; readonly until: string },
): AsyncGenerator<ScanStep> {
  const chunk = new ChunkSize();
  for (let cursor = after; ;) {
    const page = await store.list(queue, chunk.next(), cursor, { ...query.range, to: until });
    if (isPast(page.letters, query)) return;
    chunk.saw(page.letters);
    const last = page.letters.at(-1)?.entryId;
    const letters = page.letters.filter(query.matches);
    if (last !== undefined) yield { letters, lookedAt: last, lookedAtCount: page.letters.length };
    if (page.cursor === undefined) return;
    cursor = page.cursor;
  }
}

/** Whether an entry comes after another one. Ids can be larger than numbers are exact. */
export function isAfter(entryId: string, other: string): boolean {
  const [ms = 0n, number = 0n] = entryId.split('-').map(BigInt);
  const [otherMs = 0n, otherNumber = 0n] = other.split('-').map(BigInt);
  return ms > otherMs || (ms === otherMs && number > otherNumber);
}

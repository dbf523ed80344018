import type { DeadLetterStore } from '../contracts/dead-letter-store.interface.js';
import { InvalidOptionError } from '../task/config-errors.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { requireEntryId } from '../task/names.js';
import { parseQuery, type DeadLetterSelection } from './dead-letter-query.js';
import { isAfter, scanLetters } from './scan-letters.js';

type Source = Pick<DeadLetterStore, 'list' | 'get'>;

/** Some of the selected letters, oldest first, and where one would go on. */
export interface SelectedLetters {
  readonly letters: readonly DeadLetter[];
  /** Entry ids that were asked for and are not there. */
  readonly missing: readonly string[];
  readonly lookedAtCount: number;
  readonly cursor: string;
  cursorAfter(letter: DeadLetter): string;
  cursorBefore(letter: DeadLetter): string;
}

const IDS_AT_A_TIME = 100;
const CURSOR = /^(\d+-\d+|)\.\.(\d+-\d+)$/;

/** The letters of a selection that are there now. */
export async function* selectLetters(
  store: Source,
  queue: string,
  selection: DeadLetterSelection,
  cursor: string | undefined,
): AsyncGenerator<SelectedLetters> {
  const { after, until } = cursor === undefined ? await fromTheBeginning(store, queue) : parseCursor(cursor);
  if (isIds(selection)) {
    yield* selectIds(store, queue, selection, { after, until });
    return;
  }
  const query = parseQuery(selection);
  if (until === undefined) return;
  let before = after;
  for await (const { letters, lookedAt, lookedAtCount } of scanLetters(store, queue, query, { after, until })) {
    yield { ...selected(letters, [], { before, lookedAt, until }), lookedAtCount };
    before = lookedAt;
  }
}

async function* selectIds(
  store: Source,
  queue: string,
  selection: readonly string[],
  { after, until }: Bounds,
): AsyncGenerator<SelectedLetters> {
  const all = [...new Set(selection.map((id) => requireEntryId('Dead letter', id)))];
  const ids = all
    .toSorted((a, b) => (isAfter(a, b) ? 1 : -1))
    .filter((id) => after === undefined || isAfter(id, after));
  let before = after;
  for (let i = 0; i < ids.length; i += IDS_AT_A_TIME) {
    const part = ids.slice(i, i + IDS_AT_A_TIME);
    const found = await Promise.all(part.map((id) => store.get(queue, id)));
    const letters = found.filter((letter) => letter !== undefined);
    const missing = part.filter((_, n) => found[n] === undefined);
    const lookedAt = part.at(-1) as string;
    yield { ...selected(letters, missing, { before, lookedAt, until: until ?? lookedAt }), lookedAtCount: part.length };
    before = lookedAt;
  }
}

interface Bounds {
  readonly after: string | undefined;
  /** `undefined` where there is no letter at all. */
  readonly until: string | undefined;
}

async function fromTheBeginning(store: Source, queue: string): Promise<Bounds> {
  const { letters } = await store.list(queue, 1, undefined, { isNewestFirst: true });
  return { after: undefined, until: letters[0]?.entryId };
}

function parseCursor(cursor: string): Bounds {
  const [, after, until] = CURSOR.exec(cursor) ?? [];
  if (until === undefined) throw new InvalidOptionError('cursor', cursor, 'give the cursor of an earlier report');
  return { after: after || undefined, until };
}

function selected(
  letters: readonly DeadLetter[],
  missing: readonly string[],
  at: { readonly before: string | undefined; readonly lookedAt: string; readonly until: string },
): Omit<SelectedLetters, 'lookedAtCount'> {
  const cursorAt = (entryId: string | undefined) => `${entryId ?? ''}..${at.until}`;
  return {
    letters,
    missing,
    cursor: cursorAt(at.lookedAt),
    cursorAfter: ({ entryId }) => cursorAt(entryId),
    cursorBefore: (letter) => cursorAt(letters[letters.indexOf(letter) - 1]?.entryId ?? at.before),
  };
}

export function isIds(selection: DeadLetterSelection): selection is readonly string[] {
  return Array.isArray(selection);
}

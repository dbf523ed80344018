import type { DeadLetterKind, DeadLetterRange } from '../contracts/dead-letter-store.interface.js';
import { oneOf, partialGroup, type OptionCheck } from '../options/check-option.js';
import { InvalidOptionError } from '../task/config-errors.js';
import { DEAD_LETTER_REASONS, type DeadLetter, type DeadLetterReason } from '../task/dead-letter.js';

/**
 * Which dead letters. What is left out lets every letter through.
 *
 * @publicApi
 */
export interface DeadLetterQuery {
  /** The name of the task. */
  readonly task?: string | undefined;
  /** The class of the error, such as `CardDeclinedError`. */
  readonly errorName?: string | undefined;
  readonly reason?: DeadLetterReason | undefined;
  /** The id of a failure group, or the fingerprint of a letter. */
  readonly fingerprint?: string | undefined;
  /** Set aside at this time or later, by the clock of Redis: a Date, or milliseconds since 1970. */
  readonly from?: Date | number | undefined;
  /** Set aside at this time or earlier. */
  readonly to?: Date | number | undefined;
}

/**
 * Which dead letters: a query, or the entry ids of some.
 *
 * @publicApi
 */
export type DeadLetterSelection = DeadLetterQuery | readonly string[];

export interface ParsedQuery {
  /** What ids tell: those that can match come from here on. An id may be later than its letter came, and is never earlier. */
  readonly range: Pick<DeadLetterRange, 'from'>;
  /** Letters that came later do not match, in milliseconds since 1970. */
  readonly until: number;
  /** Letters that came earlier do not match. */
  readonly since: number;
  /** True where every letter matches. */
  readonly isAll: boolean;
  readonly matches: (letter: DeadLetter) => boolean;
  /** The same for letters that came in time. */
  readonly matchesKind: (
    kind: Pick<DeadLetterKind, 'name' | 'reason' | 'fingerprint' | 'group'> & ErrorName,
  ) => boolean;
}

interface ErrorName {
  readonly error?: { readonly name: string } | undefined;
}

const text: OptionCheck<string> = (path, value) => {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidOptionError(path, value, 'give some text, or leave it out');
};

const time: OptionCheck<number> = (path, value) => {
  const ms = value instanceof Date ? value.getTime() : value;
  if (typeof ms === 'number' && Number.isFinite(ms) && ms >= 0) return Math.trunc(ms);
  throw new InvalidOptionError(path, value, 'give a Date or milliseconds since 1970');
};

const check = partialGroup<{ [K in keyof Required<DeadLetterQuery>]: unknown }>({
  task: text,
  errorName: text,
  reason: oneOf(DEAD_LETTER_REASONS),
  fingerprint: text,
  from: time,
  to: time,
});

/** @throws InvalidOptionError for a value that cannot work or a name that is not known. */
export function parseQuery(query: DeadLetterQuery): ParsedQuery {
  const { task, errorName, reason, fingerprint, ...period } = check('query', query) as Readonly<
    Record<keyof DeadLetterQuery, string | undefined>
  >;
  const { from = 0, to: until = Infinity } = period as Readonly<Record<'from' | 'to', number | undefined>>;
  const is = (wanted: string | undefined, value: string | undefined) => wanted === undefined || wanted === value;
  const matchesKind: ParsedQuery['matchesKind'] = (letter) =>
    is(task, letter.name) &&
    is(reason, letter.reason) &&
    is(errorName, letter.error?.name) &&
    (is(fingerprint, letter.fingerprint) || is(fingerprint, letter.group));
  return {
    range: from === 0 ? {} : { from: from.toString() },
    until,
    since: from,
    isAll: Object.values(query).every((wanted) => wanted === undefined),
    matches: (letter) => letter.at >= from && letter.at <= until && matchesKind(letter),
    matchesKind,
  };
}

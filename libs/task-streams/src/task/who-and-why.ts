/**
 * Who did something by hand, when and why.
 *
 * @publicApi
 */
export interface WhoAndWhy {
  /** When, in milliseconds since 1970 by the clock of Redis. */
  readonly at: number;
  /** Why; `undefined` where nobody said. */
  readonly reason: string | undefined;
  /** Who; `undefined` where nobody said. */
  readonly by: string | undefined;
}

/** The most characters of a reason or an actor. */
const MAX_LENGTH = 1_000;

/** Who and why, as it is stored; Redis adds the time. Both are always there, so that it can. */
export function encodeWhoAndWhy({ by, reason }: Omit<WhoAndWhy, 'at'>): string {
  return JSON.stringify({ reason: cut(reason), by: cut(by) });
}

/** Reads what is stored; without a time where it is nothing of the kind. */
export function decodeWhoAndWhy(json: string): WhoAndWhy {
  const { at, reason, by } = parse(json);
  return { at: Number(at) || 0, reason: text(reason), by: text(by) };
}

function cut(value: string | undefined): string {
  return (value ?? '').slice(0, MAX_LENGTH);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function parse(json: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(json) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/**
 * Who asked for a task to stop, when and why.
 *
 * @publicApi
 */
export interface CancelRequest {
  /** When, in milliseconds since 1970 by the clock of Redis. */
  readonly at: number;
  /** Why; `undefined` where nobody said. */
  readonly reason: string | undefined;
  /** Who; `undefined` where nobody said. */
  readonly by: string | undefined;
}

/** The most characters of a reason or an actor. */
export const MAX_REASON_LENGTH = 1_000;

/** What a canceller says, as it is stored; Redis adds the time. Both are always there, so that it can. */
export function encodeCancel(reason: string | undefined, by: string | undefined): string {
  return JSON.stringify({ reason: cut(reason), by: cut(by) });
}

/** Reads a request; one without a time where the text is none. */
export function decodeCancel(json: string): CancelRequest {
  const { at, reason, by } = parse(json);
  return { at: Number(at) || 0, reason: text(reason), by: text(by) };
}

/** Reads a mark of the hash `cancels`: how long the record is kept, and the request. */
export function decodeCancelMark(mark: string): CancelRequest {
  return decodeCancel(mark.slice(mark.indexOf(' ') + 1));
}

function cut(value: string | undefined): string {
  return (value ?? '').slice(0, MAX_REASON_LENGTH);
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

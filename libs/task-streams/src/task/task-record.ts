import type { CancelRequest } from './cancel-request.js';
import type { ErrorDescription } from './error-description.js';
import { decodeWhoAndWhy } from './who-and-why.js';
import { isFinalState, TASK_STATES, type TaskState } from './task-state.js';

/** What Redis remembers of one task; see docs/wire-format.md, "Task record". */
export interface TaskRecord {
  readonly state: TaskState;
  readonly entryId: string | undefined;
  /** Who owns the task while it is active: worker nonce and claim sequence. */
  readonly token: string | undefined;
  readonly failedAttempts: number;
  readonly deliveryCount: number;
  readonly hash: string | undefined;
  readonly enqueuedAt: number | undefined;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly dueAt: number | undefined;
  readonly name: string;
  readonly result: unknown;
  readonly resultOmitted: string | undefined;
  readonly error: ErrorDescription | undefined;
  readonly progress: unknown;
  /** Who cancelled it, or asked for it while it runs. */
  readonly cancel: CancelRequest | undefined;
}

const ABSENT = '-';

/** What the record of a completed task says after its state and its time, which the settling script puts before it. */
export interface CompletedRecord {
  readonly entryId: string;
  readonly token: string;
  readonly failedAttempts: number;
  readonly deliveryCount: number;
  readonly hash: string | undefined;
  readonly enqueuedAt: number;
  readonly startedAt: number;
  readonly name: string;
  /** One letter that says what follows, and JSON. */
  readonly tail: string;
}

/** The text of a completed record without its first two parts, of a task without links. */
export function encodeCompletedRecord(record: CompletedRecord): string {
  const { entryId, token, failedAttempts, deliveryCount, hash = ABSENT, enqueuedAt, startedAt, name, tail } = record;
  const counts = `${failedAttempts} ${deliveryCount} ${hash} ${enqueuedAt} ${startedAt}`;
  return ` ${entryId} ${token} ${counts}\n${name.replace(/[\r\n]/g, ' ')}\n\n${tail}`;
}

/** A task that waits in the stream and was never tried: less is kept of it, because there are many. */
const UNTOUCHED = /^w((\d+)-\d+) (.*)$/;

/** Reads the packed text of a record; `undefined` where it is not one. */
export function decodeTaskRecord(text: string): TaskRecord | undefined {
  const untouched = UNTOUCHED.exec(text);
  if (untouched) {
    const [, entryId, enqueuedAt, name = ''] = untouched;
    return { ...emptyRecord('waiting', name), entryId, enqueuedAt: time(enqueuedAt) };
  }
  const [first = '', name = '', , ...rest] = text.split('\n');
  const [state, endAt, entryId, token, attempts, deliveries, hash, enqueuedAt, startedAt] = first.split(' ');
  if (!isTaskState(state)) return undefined;
  const ended = isFinalState(state);
  return {
    state,
    entryId: present(entryId),
    token: present(token),
    failedAttempts: Number(attempts) || 0,
    deliveryCount: Number(deliveries) || 0,
    hash: present(hash),
    enqueuedAt: time(enqueuedAt),
    startedAt: time(startedAt),
    finishedAt: ended ? time(endAt) : undefined,
    dueAt: ended ? undefined : time(endAt),
    name,
    ...decodeTail(rest.join('\n')),
  };
}

const FAILED_PART = 4;
const HASH_PART = 6;
const ENQUEUED_PART = 7;

interface WaitingRecord extends Pick<TaskRecord, 'failedAttempts' | 'hash' | 'enqueuedAt'> {
  /** Its end means something to others, so that Redis has to read the record when it ends. */
  readonly hasLinks: boolean;
}

const NOTHING_KNOWN: WaitingRecord = Object.freeze({
  failedAttempts: 0,
  hash: undefined,
  enqueuedAt: undefined,
  hasLinks: false,
});

/**
 * What a worker needs of the record of a task it was handed, without the cost of reading all of it; nothing of a task
 * that was never tried.
 */
export function readWaitingRecord(text: string | undefined): WaitingRecord {
  if (text === undefined || !text.startsWith('waiting ')) return NOTHING_KNOWN;
  const failedFrom = partFrom(text, 0, FAILED_PART);
  const hashFrom = partFrom(text, failedFrom, HASH_PART - FAILED_PART);
  const enqueuedFrom = partFrom(text, hashFrom, ENQUEUED_PART - HASH_PART);
  return {
    failedAttempts: Number(part(text, failedFrom)) || 0,
    hash: present(part(text, hashFrom)),
    enqueuedAt: time(part(text, enqueuedFrom)),
    hasLinks: hasLinks(text),
  };
}

/** Its third line is not empty. */
function hasLinks(text: string): boolean {
  const from = text.indexOf('\n', text.indexOf('\n') + 1) + 1;
  return from > 0 && from < text.length && text[from] !== '\n';
}

/** Where the part begins that is so many spaces further. */
function partFrom(text: string, from: number, count: number): number {
  let at = from;
  for (let i = 0; i < count && at >= 0; i += 1) at = text.indexOf(' ', at) + 1 || -1;
  return at;
}

function part(text: string, from: number): string | undefined {
  return from < 0 ? undefined : text.slice(from, text.indexOf(' ', from));
}

type Tail = Pick<TaskRecord, 'result' | 'resultOmitted' | 'error' | 'progress' | 'cancel'>;

const NO_TAIL: Tail = Object.freeze({
  result: undefined,
  resultOmitted: undefined,
  error: undefined,
  progress: undefined,
  cancel: undefined,
});

/** What is known of a task without a record: its name. */
export function emptyRecord(state: TaskState, name: string): TaskRecord {
  return {
    state,
    entryId: undefined,
    token: undefined,
    failedAttempts: 0,
    deliveryCount: 0,
    hash: undefined,
    enqueuedAt: undefined,
    startedAt: undefined,
    finishedAt: undefined,
    dueAt: undefined,
    name,
    ...NO_TAIL,
  };
}

/** The tail is one letter that says what follows, and JSON. */
function decodeTail(tail: string): Tail {
  const value = tail.slice(1);
  switch (tail[0]) {
    case 'r':
      return { ...NO_TAIL, result: parse(value) };
    case 'o':
      return { ...NO_TAIL, resultOmitted: value };
    case 'e':
      return { ...NO_TAIL, error: parse(value) as ErrorDescription | undefined };
    case 'p':
      return { ...NO_TAIL, progress: parse(value) };
    case 'c':
      return { ...NO_TAIL, cancel: decodeWhoAndWhy(value) };
    default:
      return NO_TAIL;
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function present(text: string | undefined): string | undefined {
  return text === undefined || text === ABSENT || text === '' ? undefined : text;
}

function time(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function isTaskState(text: string | undefined): text is TaskState {
  return TASK_STATES.includes(text as TaskState);
}

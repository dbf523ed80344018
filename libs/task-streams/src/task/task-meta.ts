import { withoutStack, type ErrorDescription } from './error-description.js';

/** The most attempts whose history travels with a task. */
export const MAX_HISTORY = 10;

/**
 * One failed attempt.
 *
 * @publicApi
 */
export interface AttemptRecord {
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** When the attempt ended, in milliseconds since 1970 by the clock of the worker. */
  readonly at: number;
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /** The worker that ran it. */
  readonly worker: string;
  /** Without its stack and its details. */
  readonly error: ErrorDescription;
}

/**
 * One way back from the dead letters.
 *
 * @publicApi
 */
export interface RedriveRecord {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The dead letter it was. */
  readonly entryId: string;
  /** Who sent it again, where it was said. */
  readonly actor: string | undefined;
  /** Why the task had been set aside. */
  readonly reason: string;
  /** What had failed, as `<class>: <message>`. */
  readonly error: string | undefined;
  /** The payload before it was mended; only where it was, and only up to 16 KiB. */
  readonly originalBody?: string;
  /** True where the payload was mended. */
  readonly isEdited: boolean;
}

/** The changing part of an entry. It is written anew by the worker at each retry or deferral. */
export interface TaskMeta {
  /** Attempts that ended in an error so far. */
  readonly failedAttempts: number;
  /** When the first of them ended, in milliseconds since 1970. */
  readonly firstFailedAt: number | undefined;
  /** Since when the task has been put off without an attempt, in milliseconds since 1970. */
  readonly deferredSince: number | undefined;
  /** The last attempts, oldest first, without stacks and details. */
  readonly history: readonly AttemptRecord[];
  /** How often the task came back from the dead letters. */
  readonly redriveCount: number;
  /** The last times it did; absent for a task that never died. */
  readonly redrives?: readonly RedriveRecord[];
}

/** The most redrives that are remembered with a task. */
export const MAX_REDRIVE_RECORDS = 5;

export const FRESH_META: TaskMeta = Object.freeze({
  failedAttempts: 0,
  firstFailedAt: undefined,
  deferredSince: undefined,
  history: Object.freeze([]),
  redriveCount: 0,
});

/**
 * Reads a `meta` field. Whatever another program has forged there is brought back into bounds, never trusted and never
 * thrown on: a task must not become immortal by its counters.
 */
export function decodeMeta(text: string | undefined): TaskMeta {
  if (!text) return FRESH_META;
  const raw = parseObject(text);
  if (raw === undefined) return FRESH_META;
  return {
    failedAttempts: count(raw['failedAttempts']),
    firstFailedAt: time(raw['firstFailedAt']),
    deferredSince: time(raw['deferredSince']),
    history: Array.isArray(raw['history']) ? raw['history'].filter(isAttemptRecord).slice(-MAX_HISTORY) : [],
    redriveCount: count(raw['redriveCount']),
    ...redrivesOf(raw['redrives']),
  };
}

/** The meta after one more failed attempt. */
export function withFailedAttempt(meta: TaskMeta, record: AttemptRecord): TaskMeta {
  return {
    ...withUncountedFailure(meta, record),
    failedAttempts: meta.failedAttempts + 1,
    firstFailedAt: meta.firstFailedAt ?? record.at,
    deferredSince: undefined,
  };
}

/** The meta after a failure that is run again within the same attempt. */
export function withUncountedFailure(meta: TaskMeta, record: AttemptRecord): TaskMeta {
  // What is long is with the record of the task, and in the end with the letter: the history travels with every retry.
  const { details: _details, ...error } = withoutStack(record.error);
  const kept = { ...record, error };
  return { ...meta, history: [...meta.history, kept].slice(-MAX_HISTORY) };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function redrivesOf(value: unknown): Pick<TaskMeta, 'redrives'> {
  if (!Array.isArray(value)) return {};
  return { redrives: value.filter(isRedriveRecord).slice(-MAX_REDRIVE_RECORDS) };
}

function isRedriveRecord(value: unknown): value is RedriveRecord {
  const record = value as Partial<RedriveRecord> | null;
  return (
    typeof record === 'object' &&
    record !== null &&
    typeof record.at === 'number' &&
    typeof record.entryId === 'string' &&
    typeof record.reason === 'string'
  );
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, 1_000_000) : 0;
}

function time(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function isAttemptRecord(value: unknown): value is AttemptRecord {
  const record = value as Partial<AttemptRecord> | null;
  return (
    typeof record === 'object' &&
    record !== null &&
    typeof record.attempt === 'number' &&
    typeof record.at === 'number' &&
    typeof record.durationMs === 'number' &&
    typeof record.worker === 'string' &&
    typeof record.error?.message === 'string' &&
    typeof record.error.name === 'string'
  );
}

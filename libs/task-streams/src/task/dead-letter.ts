import type { ErrorDescription } from './error-description.js';
import type { AttemptRecord, RedriveRecord } from './task-meta.js';

/**
 * Why a task became a dead letter. A closed list; `unknown` is what an older release shows of a reason that came later.
 *
 * @publicApi
 */
export const DEAD_LETTER_REASONS = [
  'attempts-exhausted',
  'crash-limit',
  'denied',
  'duplicate',
  'expired',
  'follow-up-refused',
  'idempotency-conflict',
  'in-progress-timeout',
  'invalid-json',
  'missing-field',
  'non-retryable',
  'payload-deleted',
  'payload-too-deep',
  'payload-too-large',
  'requested',
  'timeout',
  'unknown',
  'unknown-task',
  'unsupported-version',
  'validation',
] as const;

/** @publicApi */
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/** What is written about a dead letter beside the bytes of the task itself. */
export interface DeadLetterInfo {
  readonly reason: DeadLetterReason;
  readonly error: ErrorDescription | undefined;
  readonly failedAttempts: number;
  readonly deliveryCount: number;
  readonly firstFailedAt: number | undefined;
  /** When it came here, in milliseconds since 1970 by the clock of Redis; in a sink of your own, by that of the worker. */
  readonly at: number;
  readonly worker: string;
  /** The last ten attempts, oldest first. Messages are cut at 1000 characters, stacks at 4000; only the newest has one. */
  readonly history: readonly AttemptRecord[];
  /** How often the task came back from the dead letters before. */
  readonly redriveCount: number;
  /** The last five times it did, oldest first. */
  readonly redrives: readonly RedriveRecord[];
  /** The same for failures that differ in numbers, ids and quoted text only; 16 hexadecimal characters. */
  readonly fingerprint: string;
}

/**
 * A task that was set aside.
 *
 * @publicApi
 */
export interface DeadLetter extends DeadLetterInfo {
  /** The place in the dead-letter stream; absent for a letter that went to a sink of your own. */
  readonly entryId: string | undefined;
  readonly queue: string;
  /** Empty where the entry had none. */
  readonly taskId: string;
  /** Empty where the entry had none. */
  readonly name: string;
  /** The entry of the task stream it came from. */
  readonly sourceEntryId: string;
  readonly idempotencyKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The payload as text, exactly as it was sent, `undefined` where it is gone. */
  readonly body: string | undefined;
  /** The bytes of a payload that is no UTF-8 as base64; `body` shows it as well as it can be shown. */
  readonly bodyBase64?: string;
  /** The failure group it is counted in: its fingerprint, or `other` when there were too many groups. */
  readonly group?: string;
  /** When the last attempt ended, in milliseconds since 1970; `undefined` where there was none. */
  readonly lastFailedAt: number | undefined;
  /** From the header `traceparent`, where there is one. */
  readonly traceId: string | undefined;
}

/** What a letter tells beside what is stored of it. */
export function derivedParts(
  headers: Readonly<Record<string, string>>,
  history: readonly AttemptRecord[],
): Pick<DeadLetter, 'lastFailedAt' | 'traceId'> {
  const traceId = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(String(headers['traceparent'] ?? ''))?.[1];
  return { lastFailedAt: history.at(-1)?.at, traceId };
}

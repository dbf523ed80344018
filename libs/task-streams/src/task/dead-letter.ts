import type { ErrorDescription } from './error-description.js';
import type { AttemptRecord } from './task-meta.js';

/**
 * Why a task became a dead letter. A closed list.
 *
 * @publicApi
 */
export const DEAD_LETTER_REASONS = [
  'attempts-exhausted',
  'crash-limit',
  'denied',
  'duplicate',
  'expired',
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
  /** When it was given up, in milliseconds since 1970 by the clock of the worker. */
  readonly at: number;
  readonly worker: string;
  readonly history: readonly AttemptRecord[];
  readonly redriveCount: number;
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
}

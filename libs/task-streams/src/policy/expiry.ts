import type { MessageExpiry } from '../task/envelope.js';

/** Until when attempts of a task may begin, in milliseconds since 1970 by the clock of Redis; Infinity for ever. */
export interface StartLimits {
  /** For the first attempt. */
  readonly first: number;
  /** For every attempt: the deadline. */
  readonly every: number;
}

/** The limits of a task that was enqueued at a time. What counts in milliseconds counts from the end of its delay. */
export function startLimits(expiry: MessageExpiry, enqueuedAt: number): StartLimits {
  const { ttlMs = Infinity, deadlineMs = Infinity, deadline = Infinity, delayMs = 0, runAt = 0 } = expiry;
  const from = Math.max(enqueuedAt + delayMs, runAt);
  const every = Math.min(deadline, from + deadlineMs);
  return { first: Math.min(every, from + ttlMs), every };
}

/** Whether it is too late, at a time, to begin the next attempt of a task. */
export function isTooLate(limits: StartLimits, at: number, failedAttempts: number): boolean {
  return at >= (failedAttempts === 0 ? limits.first : limits.every);
}

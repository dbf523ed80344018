import { classifyRedisError, type RedisErrorClass } from './redis-error.js';

/** What is done about a class of errors. No error of Redis costs a task an attempt, ends a loop or makes it spin. */
export interface RedisReaction {
  /**
   * How long a worker waits before it tries again: `grow` from 50 ms to 5 s, `slow` always 5 s, because only somebody
   * outside can change what is wrong.
   */
  readonly worker: 'grow' | 'slow';
  /**
   * What `enqueue` does: `again` sends the same id until its deadline, `refuse` throws at once. Where the deadline ends an
   * `again` the tasks were surely not added, but for `uncertain`.
   */
  readonly producer: 'again' | 'refuse' | 'uncertain';
  /** After how many milliseconds of it a process counts as degraded, and after how many as down. */
  readonly health: { readonly degradedAfterMs: number; readonly downAfterMs: number };
}

const SOON_OVER = { degradedAfterMs: 10_000, downAfterMs: 60_000 };
const DEGRADED = { degradedAfterMs: 0, downAfterMs: Infinity };
const DOWN = { degradedAfterMs: 0, downAfterMs: 0 };
const DEGRADED_THEN_DOWN = { degradedAfterMs: 0, downAfterMs: 60_000 };

const REACTIONS: Readonly<Record<RedisErrorClass, RedisReaction>> = {
  transient: { worker: 'grow', producer: 'again', health: SOON_OVER },
  topology: { worker: 'grow', producer: 'again', health: DEGRADED },
  cluster: { worker: 'grow', producer: 'again', health: SOON_OVER },
  'no-script': { worker: 'grow', producer: 'again', health: SOON_OVER },
  'writes-refused': { worker: 'grow', producer: 'refuse', health: DEGRADED },
  config: { worker: 'slow', producer: 'refuse', health: DOWN },
  // A worker makes the queue again; it is told of only where that does not work.
  'missing-queue': { worker: 'grow', producer: 'again', health: SOON_OVER },
  'wrong-type': { worker: 'grow', producer: 'refuse', health: DOWN },
  'blocked-task': { worker: 'grow', producer: 'refuse', health: DEGRADED },
  connection: { worker: 'grow', producer: 'uncertain', health: DOWN },
  unknown: { worker: 'grow', producer: 'refuse', health: DEGRADED_THEN_DOWN },
};

/** What is done about an error. */
export function reactionTo(error: unknown): RedisReaction {
  return REACTIONS[classifyRedisError(error)];
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Milliseconds to wait before the next try, after so many failures in a row and the last error: 50 ms doubling to 5 s, the
 * upper half of it by chance; for what only somebody outside can change always 5 s, a tenth more by chance.
 */
export function errorPauseMs(failures: number, error: unknown, random: () => number = Math.random): number {
  if (reactionTo(error).worker === 'slow') return LONGEST_PAUSE_MS * (1 + random() / 10);
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
  return pauseMs / 2 + random() * (pauseMs / 2);
}

/** How well a process does that has an error for so long. */
export type Condition = 'up' | 'degraded' | 'down';

/** What an error that has lasted for so many milliseconds says about the health of a process. */
export function conditionOf(error: unknown, sinceMs: number): Condition {
  const { degradedAfterMs, downAfterMs } = reactionTo(error).health;
  if (sinceMs >= downAfterMs) return 'down';
  return sinceMs >= degradedAfterMs ? 'degraded' : 'up';
}

/** The worst of several. */
export function worstOf(conditions: readonly Condition[]): Condition {
  if (conditions.includes('down')) return 'down';
  return conditions.includes('degraded') ? 'degraded' : 'up';
}

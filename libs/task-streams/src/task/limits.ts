/**
 * The longest wait of a timer in Node, in milliseconds: a longer one fires at once.
 * See https://nodejs.org/api/timers.html#settimeoutcallback-delay-args
 */
export const MAX_TIMER_MS = 2_147_483_647;

/** The longest time that is kept in Redis: ten years, in milliseconds. */
export const MAX_STORED_MS = 315_360_000_000;

/** The last moment a Date can be, in milliseconds since 1970. */
const MAX_TIME = 8_640_000_000_000_000;

/** What a number may be, both ends included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The numbers that travel with a task. What is out of bounds is refused where it is sent and ignored where it is read. */
export const MESSAGE_BOUNDS = {
  attempts: { min: 1, max: 1_000 },
  timeoutMs: { min: 1, max: MAX_TIMER_MS },
  ttlMs: { min: 1, max: MAX_STORED_MS },
  deadlineMs: { min: 1, max: MAX_STORED_MS },
  deadline: { min: 0, max: MAX_TIME },
  delayMs: { min: 0, max: MAX_STORED_MS },
  runAt: { min: 0, max: MAX_TIME },
} as const satisfies Record<string, Bounds>;

/** The numbers of a backoff. */
export const BACKOFF_BOUNDS = {
  /** How many waits a list may have. */
  length: { min: 1, max: 1_000 },
  delayMs: { min: 0, max: MAX_STORED_MS },
  factor: { min: 1, max: 1_000 },
  maxDelayMs: { min: 0, max: MAX_STORED_MS },
} as const satisfies Record<string, Bounds>;

export const BACKOFF_TYPES = ['exponential', 'linear', 'fixed'] as const;

export const JITTERS = ['equal', 'full', 'none'] as const;

/** Whether a value is a number within bounds. */
export function isWithin(bounds: Bounds, value: number): boolean;
export function isWithin(bounds: Bounds, value: unknown): value is number;
export function isWithin({ min, max }: Bounds, value: unknown): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

/**
 * How long to wait between attempts.
 *
 * - an object: `exponential` (`delayMs`, `delayMs * factor`, `delayMs * factor²` …), `linear` (1, 2, 3 times `delayMs`)
 *   or `fixed`;
 * - an array: the wait after the first, second, … failure in milliseconds; the last one repeats;
 * - a function of the number of failed attempts (1 after the first failure) and the error, which answers milliseconds.
 *   A function cannot travel with a message: it is for handler and module options.
 *
 * @publicApi
 */
export type Backoff = BackoffCurve | readonly number[] | BackoffFunction;

/** @publicApi */
export type BackoffFunction = (failedAttempts: number, error: unknown) => number;

/** @publicApi */
export interface BackoffCurve {
  /** The shape of the curve. Every one is spread by `jitter`, `fixed` as well: for exact waits set `jitter: 'none'`. */
  readonly type: 'exponential' | 'linear' | 'fixed';
  /** The wait after the first failure, in milliseconds. Default 2000. */
  readonly delayMs?: number;
  /** How much longer each wait of an exponential curve is. Default 2. */
  readonly factor?: number;
  /** No wait is longer than this, in milliseconds. Default one hour. */
  readonly maxDelayMs?: number;
  /**
   * How the waits are spread, so that tasks that failed together do not come back together: `equal` waits between half
   * and the whole of the computed time, `full` between nothing and the whole, `none` exactly the computed time.
   * Default `equal`. See https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
   */
  readonly jitter?: 'equal' | 'full' | 'none';
}

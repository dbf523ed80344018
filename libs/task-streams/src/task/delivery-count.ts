/**
 * How a suspect, a task that may be what kills its process, was begun: `shared`, beside others that may be the cause as well,
 * or `blamed`, as the only one that a crash is held against.
 */
export type Trial = 'shared' | 'blamed';

/** How often a task was delivered, and how it was begun in the delivery before where it was a suspect then. */
export interface DeliveryCount {
  readonly deliveryCount: number;
  readonly trial?: Trial | undefined;
}

/** What Redis counts has the trial in it: so much is added for a shared one, twice as much for one that is blamed. */
const TRIAL_STEP = 1_000_000;
const TRIALS: readonly (Trial | undefined)[] = [undefined, 'shared', 'blamed'];

/**
 * Of a delivery that its own process gets once more, because an answer was lost or a sweep found it: that process lives, so
 * nothing can be held against the task.
 */
export function withoutBlame<T extends DeliveryCount>(own: T): T {
  return own.trial === 'blamed' ? { ...own, trial: 'shared' } : own;
}

export function readDeliveryCount(stored: number): DeliveryCount {
  if (stored < TRIAL_STEP) return { deliveryCount: stored };
  return { deliveryCount: stored % TRIAL_STEP, trial: TRIALS[Math.floor(stored / TRIAL_STEP)] };
}

export function storedDeliveryCount({ deliveryCount, trial }: DeliveryCount): number {
  return TRIALS.indexOf(trial) * TRIAL_STEP + deliveryCount;
}

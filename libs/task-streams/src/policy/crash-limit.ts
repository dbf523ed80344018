import type { DeliveryCount, Trial } from '../task/delivery-count.js';

/**
 * What the delivery count of a task says of it. `clear`: its process has not died often with it. `suspect`: it is tried as
 * what kills its process. `last-chance`: a crash met it in its trial, beside others; it is tried once more. `given-up`: a
 * crash met it in a trial in which nothing else was to blame; it becomes a dead letter.
 *
 * Nothing is given up untried, however often it was delivered: a worker with a higher crash limit may have let it run beside
 * others so often. Only a limit of one asks for no trial.
 */
export type CrashStanding = 'clear' | 'suspect' | 'last-chance' | 'given-up';

export function crashStandingOf({ deliveryCount, trial }: DeliveryCount, crashLimit: number): CrashStanding {
  if (crashLimit === 1) return deliveryCount > 1 ? 'given-up' : 'clear';
  if (trial === 'blamed') return 'given-up';
  if (trial === 'shared') return 'last-chance';
  return deliveryCount < crashLimit ? 'clear' : 'suspect';
}

/** How a suspect is begun: a first trial beside others is held against none of them. */
export function trialAtStart(standing: CrashStanding, isBeside: boolean): Trial {
  return standing === 'suspect' && isBeside ? 'shared' : 'blamed';
}

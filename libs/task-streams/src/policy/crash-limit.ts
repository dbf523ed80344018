/**
 * What the delivery count of a task says of it. `clear`: its process has not died often with it. `suspect`: one more time
 * makes it a dead letter, if it was alone. `last-chance`: a suspect that a crash met beside others; one more time makes it a
 * dead letter. `given-up`: a dead letter.
 */
export type CrashStanding = 'clear' | 'suspect' | 'last-chance' | 'given-up';

/** @param deliveryCount As Redis counts it. */
export function crashStandingOf(deliveryCount: number, crashLimit: number): CrashStanding {
  if (crashLimit === 1) return deliveryCount > 1 ? 'given-up' : 'clear';
  if (deliveryCount < crashLimit) return 'clear';
  if (deliveryCount > crashLimit + 1) return 'given-up';
  return deliveryCount === crashLimit ? 'suspect' : 'last-chance';
}

/**
 * The count that a suspect starts with; if its process dies now, the next delivery is one more. A delivery in which it is
 * the only one to be blamed counts twice.
 */
export function countAtStart(crashLimit: number, isShared: boolean): number {
  return isShared ? crashLimit : crashLimit + 1;
}

import type { Random } from './compute-backoff.js';

/** Chance that is always a number from 0 to 1: where yours throws or answers something else, the one of JavaScript. */
export function guardRandom(random: Random): Random {
  return () => {
    try {
      const value: unknown = random();
      if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    } catch {
      // A wait is a wait, whatever chance it comes from.
    }
    return Math.random();
  };
}

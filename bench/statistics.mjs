/** @typedef {{ median: number, min: number, max: number }} Spread */

/**
 * @param {readonly number[]} values at least one
 * @returns {Spread}
 */
export function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/**
 * Compares round by round: what slows the machine down in one round slows both sides down, and drops out.
 *
 * @param {readonly number[]} values one a round
 * @param {readonly number[]} others of the same rounds
 * @returns {Spread}
 */
export function pairedRatio(values, others) {
  return spreadOf(values.map((value, round) => value / (others[round] ?? Number.NaN)));
}

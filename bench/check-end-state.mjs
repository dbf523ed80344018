/**
 * @typedef {import('./child/plan.js').RunPlan} RunPlan
 * @typedef {import('./child/plan.js').RunResult} RunResult
 */

/** A run left Redis in another state than it must: what it measured says nothing. */
export class WrongEndStateError extends Error {
  /**
   * @param {RunPlan} plan
   * @param {readonly string[]} faults
   */
  constructor(plan, faults) {
    super(`${plan.side} did not do the work of the run (${plan.kind}, ${plan.taskCount} tasks): ${faults.join('; ')}.`);
    this.name = 'WrongEndStateError';
  }
}

/**
 * A rate counts only with its end state. A worker that acknowledges nothing is fast, and so is a clock that starts late.
 *
 * @param {RunPlan} plan
 * @param {RunResult} result
 * @throws {WrongEndStateError}
 */
export function checkEndState(plan, { endState, endings }) {
  const isWaiting = plan.kind === 'produce' || plan.kind === 'memory-waiting';
  const taskCount = plan.taskCount + plan.behindCount;
  const expectedEndings = isWaiting ? 0 : 1;
  const wrongEndings = endings.reduce((count, one) => count + (one === expectedEndings ? 0 : 1), 0);
  const faults = [
    ...fault('waiting, delayed or failed', endState.left, isWaiting ? taskCount : 0),
    ...fault('handed out and not settled', endState.pending, 0),
    ...fault('on record as completed', endState.completed, plan.isKeeping && !isWaiting ? taskCount : 0),
    ...fault(`ended otherwise than ${expectedEndings} time(s)`, wrongEndings, 0),
  ];
  if (faults.length > 0) throw new WrongEndStateError(plan, faults);
}

/**
 * @param {string} what
 * @param {number | undefined} count
 * @param {number} expected
 */
function fault(what, count, expected) {
  return count === expected ? [] : [`${count} tasks ${what} instead of ${expected}`];
}

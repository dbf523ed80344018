/**
 * The answer of a function of the user's that must answer at once.
 *
 * @throws TypeError for a promise: `async` in front of such a function is easily written, and a promise is always truthy.
 */
export function refusePromise<T>(what: string, answer: T): T {
  if (!(answer instanceof Promise)) return answer;
  // Nobody else hears what it rejects with.
  answer.catch(() => undefined);
  throw new TypeError(`${what} answered a promise; it must answer at once, without async`);
}

/** For how long something has failed, without a success in between. */
export class FailingFor {
  #since: number | undefined;

  /** In milliseconds; 0 where it worked the last time. */
  get ms(): number {
    return this.#since === undefined ? 0 : performance.now() - this.#since;
  }

  /** Passes on what becomes of a try, and notes it. */
  async watch<T>(attempt: Promise<T>): Promise<T> {
    try {
      const answer = await attempt;
      this.#since = undefined;
      return answer;
    } catch (error) {
      this.#since ??= performance.now();
      throw error;
    }
  }
}

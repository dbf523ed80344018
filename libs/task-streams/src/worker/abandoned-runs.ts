import type { Run } from './run.js';

/**
 * Handlers that go on although their attempt is over. One that does so for longer than the limit is stuck: it ignores its
 * abort signal, and nothing in this process can end it.
 */
export class AbandonedRuns {
  /** The timer of a run that is not stuck yet, `undefined` of one that is. */
  private readonly runs = new Map<Run, NodeJS.Timeout | undefined>();
  private stuck = 0;

  constructor(
    private readonly limitMs: number,
    private readonly onStuck: (run: Run) => void,
  ) {}

  get count(): number {
    return this.runs.size;
  }

  get stuckCount(): number {
    return this.stuck;
  }

  add(run: Run): void {
    this.runs.set(run, setTimeout(() => this.markStuck(run), this.limitMs).unref());
  }

  /** Its handler has ended after all. */
  ended(run: Run): void {
    const timer = this.runs.get(run);
    if (timer === undefined) this.stuck -= 1;
    clearTimeout(timer);
    this.runs.delete(run);
  }

  /** Looks at no run any more. */
  stop(): void {
    for (const timer of this.runs.values()) clearTimeout(timer);
  }

  private markStuck(run: Run): void {
    this.runs.set(run, undefined);
    this.stuck += 1;
    this.onStuck(run);
  }
}

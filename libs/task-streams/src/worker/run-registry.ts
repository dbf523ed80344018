import type { Isolation } from './isolation.js';
import type { Run } from './run.js';

/** What one queue's worker holds, by entry: the slots, what waits for one, and who waits for either. */
export class RunRegistry {
  private readonly runs = new Map<string, Run>();
  private readonly buffer: Run[] = [];
  private running = 0;
  private unsettled = 0;
  private readonly waiters: (() => void)[] = [];
  private readonly slotWaiters: (() => void)[] = [];
  /** Slots that are kept for tasks of dead workers, so that a long queue of waiting tasks cannot keep them out. */
  reservedForSweep = 0;

  /** Called when a slot becomes free, or something may start that could not before. */
  onFree: () => void = () => undefined;

  /**
   * @param concurrency How many run at once.
   * @param crashLimit A task that was handed out so often is suspected of killing its process, and runs alone: the tasks
   *   that died with it must not share its last hand-out.
   * @param isolation Shared by all queues of the process.
   */
  constructor(
    readonly concurrency: number,
    private readonly crashLimit: number,
    private readonly isolation: Isolation,
  ) {
    isolation.join(this);
  }

  get size(): number {
    return this.runs.size;
  }

  get runningCount(): number {
    return this.running;
  }

  /** Runs that are at work, or whose end Redis is being told without trouble. */
  get activeCount(): number {
    return this.runs.size - this.buffer.length - this.unsettled;
  }

  /** How many tasks may be fetched: slots nobody has and nothing waits for. None while too much cannot be settled. */
  get freeCount(): number {
    if (this.unsettled >= this.concurrency || this.isolation.isReserved) return 0;
    return Math.max(this.concurrency - this.running - this.buffer.length, 0);
  }

  /** How many waiting tasks may be fetched. */
  get freeForFetch(): number {
    return this.freeCount - this.reservedForSweep;
  }

  get(entryId: string): Run | undefined {
    return this.runs.get(entryId);
  }

  all(): Run[] {
    return [...this.runs.values()];
  }

  entryIds(): ReadonlySet<string> {
    return new Set(this.runs.keys());
  }

  /** Takes a run in. It waits in the buffer until {@link RunRegistry.takeStartable} gives it a slot. */
  add(run: Run): void {
    this.runs.set(run.delivery.entryId, run);
    this.buffer.push(run);
    if (this.isSuspect(run)) this.isolation.hold(run);
  }

  /** The next run that may start, with a slot taken for it. Suspects come last. */
  takeStartable(): Run | undefined {
    if (this.buffer.length === 0 || this.running >= this.concurrency || this.isolation.isOccupied) return undefined;
    let place = this.buffer.findIndex((run) => !this.isSuspect(run));
    if (place < 0) {
      if (!this.isolation.tryStart(this.buffer[0] as Run)) return undefined;
      place = 0;
    }
    this.running += 1;
    return this.buffer.splice(place, 1)[0];
  }

  /** Takes everything out of the buffer; the runs stay known. */
  takeBuffered(): Run[] {
    return this.buffer.splice(0);
  }

  /** Frees the slot of a run that no longer runs. */
  freeSlot(): void {
    this.running -= 1;
    this.tellFree();
  }

  /** The settlement of a run could not be carried out and is tried again; nothing waits for it. */
  markUnsettled(run: Run): void {
    this.unsettled += 1;
    this.isolation.leave(run);
    if (this.isolation.isReserved) this.isolation.changed();
  }

  /** What {@link RunRegistry.markUnsettled} told of has ended. */
  unmarkUnsettled(): void {
    this.unsettled -= 1;
    this.tellFree();
  }

  remove(run: Run): void {
    this.runs.delete(run.delivery.entryId);
    const place = this.buffer.indexOf(run);
    if (place >= 0) this.buffer.splice(place, 1);
    this.wake();
    if (!this.isolation.isReserved) return;
    this.isolation.leave(run);
    this.isolation.changed();
  }

  /** Resolves when the next run is removed. */
  removed(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  /** Resolves when a slot is free: now, or later; or at {@link RunRegistry.tellFree} once the signal has aborted. */
  async slotFreed(signal: AbortSignal): Promise<void> {
    while (this.freeCount === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => this.slotWaiters.push(resolve));
    }
  }

  /** Tells everybody who waits for a slot, or for the end of a suspect, to look again. */
  tellFree(): void {
    for (const resolve of this.slotWaiters.splice(0)) resolve();
    this.onFree();
  }

  /** Whether a run is at its last permitted hand-out. Where one hand-out is the limit none is. */
  isSuspect(run: Run): boolean {
    return run.delivery.deliveryCount === this.crashLimit && this.crashLimit > 1;
  }

  private wake(): void {
    for (const resolve of this.waiters.splice(0)) resolve();
  }
}

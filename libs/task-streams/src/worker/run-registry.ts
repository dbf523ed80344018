import type { Run } from './run.js';

/** What one queue's worker holds, by entry: the slots, what waits for one, and who waits for either. */
export class RunRegistry {
  private readonly runs = new Map<string, Run>();
  private readonly buffer: Run[] = [];
  private running = 0;
  private unsettled = 0;
  private isAlone = false;
  private readonly waiters: (() => void)[] = [];
  private readonly slotWaiters: (() => void)[] = [];
  /** Slots that are kept for tasks of dead workers, so that a long queue of waiting tasks cannot keep them out. */
  reservedForSweep = 0;

  /** Called when a slot becomes free. */
  onSlotFreed: () => void = () => undefined;

  /**
   * @param concurrency How many run at once.
   * @param crashLimit A task that was handed out so often is suspected of killing its process, and runs alone: the tasks
   *   that died with it must not share its last hand-out.
   */
  constructor(
    readonly concurrency: number,
    private readonly crashLimit: number,
  ) {}

  get size(): number {
    return this.runs.size;
  }

  get runningCount(): number {
    return this.running;
  }

  /** How many tasks may be fetched: slots nobody has and nothing waits for. None while too much cannot be settled. */
  get freeCount(): number {
    if (this.unsettled >= this.concurrency || this.isAlone || this.isSuspect(this.buffer[0])) return 0;
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
  }

  /** The next run that may start, with a slot taken for it. */
  takeStartable(): Run | undefined {
    const [next] = this.buffer;
    if (!next || this.isAlone || this.running >= this.concurrency) return undefined;
    if (this.isSuspect(next)) {
      if (this.running > 0) return undefined;
      this.isAlone = true;
    }
    this.buffer.shift();
    this.running += 1;
    return next;
  }

  /** Takes everything out of the buffer; the runs stay known. */
  takeBuffered(): Run[] {
    return this.buffer.splice(0);
  }

  /** Frees the slot of a run that no longer runs. */
  freeSlot(): void {
    this.running -= 1;
    this.isAlone = false;
    this.tellFree();
  }

  /** A settlement could not be carried out and is tried again; its slot is free meanwhile. */
  markUnsettled(count: 1 | -1): void {
    this.unsettled += count;
    if (count < 0) this.tellFree();
  }

  remove(run: Run): void {
    this.runs.delete(run.delivery.entryId);
    const place = this.buffer.indexOf(run);
    if (place >= 0) this.buffer.splice(place, 1);
    this.wake();
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

  /** Tells everybody who waits for a slot to look again. */
  tellFree(): void {
    for (const resolve of this.slotWaiters.splice(0)) resolve();
    this.onSlotFreed();
  }

  private isSuspect(run: Run | undefined): boolean {
    return run !== undefined && run.delivery.deliveryCount === this.crashLimit && this.crashLimit > 1;
  }

  private wake(): void {
    for (const resolve of this.waiters.splice(0)) resolve();
  }
}

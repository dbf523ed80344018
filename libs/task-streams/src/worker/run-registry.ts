import { crashStandingOf, trialAtStart, type CrashStanding } from '../policy/crash-limit.js';
import type { Trial } from '../task/delivery-count.js';
import type { Isolation, SuspectStart } from './isolation.js';
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

  /** Called when others may join a suspect that was started alone. */
  onShare: (run: Run) => Promise<void> = () => Promise.resolve();

  /**
   * @param concurrency How many run at once.
   * @param crashLimit A task that was delivered so often is suspected of killing its process, and starts when
   *   {@link Isolation} says so.
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

  /** How many tasks a sweep may take: slots nobody has and nothing waits for. None while too much cannot be settled. */
  get freeCount(): number {
    if (this.unsettled >= this.concurrency || this.isolation.isClosed) return 0;
    return Math.max(this.concurrency - this.running - this.buffer.length, 0);
  }

  /** How many waiting tasks may be fetched: a suspect that is held keeps nobody from a slot. */
  get freeForFetch(): number {
    if (this.unsettled >= this.concurrency || this.isolation.isClosed) return 0;
    const held = this.isolation.hasSuspects ? this.heldCount : 0;
    const reserved = Math.min(this.reservedForSweep, Math.max(this.concurrency - held, 0));
    return Math.max(this.concurrency - this.running - this.buffer.length + held, 0) - reserved;
  }

  /** Suspects that wait for their turn. */
  get heldCount(): number {
    return this.buffer.filter((run) => this.isolation.isHeld(run)).length;
  }

  /** Suspects that run. */
  get suspectCount(): number {
    return this.all().filter((run) => this.startOf(run) !== undefined && !this.isolation.isHeld(run)).length;
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
    const standing = this.standingOf(run);
    if (standing === 'suspect' || standing === 'last-chance') this.isolation.hold(run, standing === 'suspect', this);
  }

  /** The next run that may start, with a slot taken for it. */
  takeStartable(): Run | undefined {
    if (this.buffer.length === 0 || this.running >= this.concurrency) return undefined;
    const place = this.isolation.hasSuspects ? this.buffer.findIndex((run) => this.isolation.tryStart(run)) : 0;
    if (place < 0) return undefined;
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
    if (!this.isolation.hasSuspects) return;
    this.isolation.leave(run);
    this.isolation.changed();
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
    if (!this.isolation.hasSuspects) return;
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

  share(run: Run): Promise<void> {
    return this.onShare(run);
  }

  /** How a suspect is to start; `undefined` for other tasks. */
  startOf(run: Run): SuspectStart | undefined {
    return this.isolation.startOf(run);
  }

  get hasSuspects(): boolean {
    return this.isolation.hasSuspects;
  }

  isHeld(run: Run): boolean {
    return this.isolation.isHeld(run);
  }

  /** How a suspect is begun: it says what is made of a crash. */
  trialAtStart(run: Run): Trial {
    return trialAtStart(this.standingOf(run), this.startOf(run) === 'beside');
  }

  private standingOf(run: Run): CrashStanding {
    return crashStandingOf(run.delivery, this.crashLimit);
  }

  private wake(): void {
    for (const resolve of this.waiters.splice(0)) resolve();
  }
}

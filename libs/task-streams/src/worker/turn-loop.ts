import { setImmediate as nextImmediate } from 'node:timers/promises';
import type { ClaimReply, WorkStore } from '../contracts/work-store.interface.js';
import { errorPauseMs } from '../policy/redis-reactions.js';
import type { Trouble } from './error-episodes.js';
import { pause } from '../time/pause.js';
import type { RunRegistry } from './run-registry.js';
import type { PendingSettlement, SettlementQueue } from './settlement-queue.js';

/** The most tasks settled, and the most fetched, by one call. */
const MAX_BATCH = 100;

export interface TurnLoopParts {
  readonly work: WorkStore;
  readonly registry: RunRegistry;
  readonly settlements: SettlementQueue;
  /** Takes what was fetched. */
  readonly take: (claimed: ClaimReply) => void;
  /** Starts what was taken earlier and may start now. */
  readonly startBuffered: () => void;
  /** Hears how many dead letters were dropped by retention. */
  readonly onDropped: (count: number) => void;
  readonly trouble: Trouble;
}

/**
 * The loop of one queue. Each turn is one call to Redis: it settles what has ended and fetches for the slots that are
 * free.
 *
 * - **Two lanes.** While Redis works on one half of the slots, this process works on the other. The first call goes as
 *   soon as there is anything to do; a second joins it only when it is worth half the slots. What ends while both are on
 *   their way waits, so that batches grow by themselves when there is much to do. Replies that come together are looked at
 *   one after the other, with the call that the first one brings in between: worked on together they would be answered
 *   together again, and from then on Redis and this process would wait for each other in turn.
 * - **Idle.** When a turn finds nothing, a wait on a connection of its own brings the next task, and a turn the others;
 *   settlements go on beside it.
 * - **Pause.** Somebody paused the queue: Redis delivers nothing, and once this worker has heard of it, it does not ask.
 * - **Trouble.** No error ends the loop and none makes it spin. After one, it makes sure of the consumer group and looks
 *   for tasks that were handed out in an answer it never got.
 */
export class TurnLoop {
  private readonly stopping = new AbortController();
  private readonly lane: number;
  private calls = 0;
  /** Slots that a call on its way may fill. */
  private reserved = 0;
  private isWaiting = false;
  private isSound = false;
  private paused = false;
  private isScheduled = false;
  /** Fetches and repairs that failed since a fetch worked. */
  private failures = 0;
  private lastError: unknown;
  private readonly underway = new Set<Promise<void>>();
  private turnedAt = performance.now();
  private fetchedAt = performance.now();

  constructor(
    private readonly queue: string,
    private readonly parts: TurnLoopParts,
  ) {
    this.lane = Math.max(1, Math.min(MAX_BATCH, Math.ceil(parts.registry.concurrency / 2)));
  }

  start(): void {
    this.turnedAt = this.fetchedAt = performance.now();
    const poke = () => this.poke();
    this.parts.settlements.onReady = poke;
    this.parts.registry.onFree = poke;
    this.track(this.repair());
  }

  /** While a queue is paused nothing is fetched; what runs goes on, and settlements do. */
  setPaused(isPaused: boolean): void {
    if (isPaused === this.paused) return;
    this.paused = isPaused;
    if (!isPaused) this.poke();
  }

  /** Stops fetching; settlements go on. Resolves when no fetch is on its way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.parts.work.interrupt(this.queue).catch(() => undefined);
    while (this.underway.size > 0 && (this.reserved > 0 || !this.isSound)) await Promise.race(this.underway);
  }

  /** Whether somebody paused the queue, as far as this worker has heard. */
  get isPaused(): boolean {
    return this.paused;
  }

  ages(): { readonly sinceLastTurnMs: number; readonly sinceLastFetchMs: number } {
    const now = performance.now();
    // A full worker waits for its own tasks, a paused one for somebody, for hours if need be; that is no sign of trouble.
    const isFull = this.isSound && this.calls === 0 && !this.isWaiting && (this.paused || this.free() === 0);
    return isFull
      ? { sinceLastTurnMs: 0, sinceLastFetchMs: 0 }
      : { sinceLastTurnMs: now - this.turnedAt, sinceLastFetchMs: now - this.fetchedAt };
  }

  /** Takes a turn soon, together with whatever else this turn of the event loop brings. */
  private poke(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.step();
    });
  }

  private step(): void {
    this.parts.startBuffered();
    for (;;) {
      const settleCount = Math.min(this.parts.settlements.size, MAX_BATCH);
      const fetchCount = this.fetchCount();
      if (settleCount + fetchCount === 0) return;
      if (this.calls === 2 || (this.calls === 1 && settleCount + fetchCount < this.lane)) return;
      this.track(this.turn(this.parts.settlements.take(MAX_BATCH), fetchCount));
    }
  }

  private free(): number {
    return this.parts.registry.freeForFetch - this.reserved;
  }

  private fetchCount(): number {
    if (!this.isSound || this.paused || this.isWaiting || this.stopping.signal.aborted) return 0;
    return Math.max(Math.min(this.free(), this.lane), 0);
  }

  private async turn(batch: readonly PendingSettlement[], max: number): Promise<void> {
    this.calls += 1;
    this.reserved += max;
    try {
      const reply = await this.parts.work.turn(
        this.queue,
        batch.map((one) => one.settlement),
        max,
      );
      // A call is about to go: it goes first.
      if (this.isScheduled) await nextImmediate();
      this.reserved -= max;
      const { replies, fetchError, droppedCount } = reply;
      this.parts.settlements.answer(batch, replies);
      if (droppedCount > 0) this.parts.onDropped(droppedCount);
      if (fetchError) this.breakDown(fetchError);
      else if (max > 0) this.fetched(reply);
    } catch (error) {
      this.reserved -= max;
      this.parts.settlements.fail(batch, error as Error);
      this.breakDown(error);
    }
    this.calls -= 1;
    this.turnedAt = performance.now();
    this.poke();
  }

  private fetched(claimed: ClaimReply): void {
    this.fetchWorked();
    this.parts.take(claimed);
    if (isEmpty(claimed)) this.waitForTasks();
  }

  /** Only a fetch ends trouble: a repair may succeed for ever where fetching is what is forbidden. */
  private fetchWorked(): void {
    this.fetchedAt = performance.now();
    this.failures = 0;
    this.parts.trouble.ended();
  }

  private waitForTasks(): void {
    if (this.isWaiting || !this.isSound || this.paused || this.stopping.signal.aborted || this.free() <= 0) return;
    this.isWaiting = true;
    this.track(this.wait());
  }

  /** Blocks until there is a task. A slot is its own meanwhile. */
  private async wait(): Promise<void> {
    this.reserved += 1;
    let claimed: ClaimReply | undefined;
    try {
      while (isEmpty(claimed) && !this.paused && !this.stopping.signal.aborted) {
        this.turnedAt = performance.now();
        claimed = await this.parts.work.wait(this.queue);
        this.fetchWorked();
      }
    } catch (error) {
      this.breakDown(error);
    }
    this.isWaiting = false;
    this.reserved -= 1;
    if (claimed) this.parts.take(claimed);
    this.poke();
  }

  private breakDown(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    this.parts.trouble.failed(error);
    this.lookForLost(error);
  }

  /** Looks for deliveries that were lost with an answer, also with that to another call that claims. */
  lookForLost(error: unknown): void {
    if (!this.isSound || this.stopping.signal.aborted) return;
    this.isSound = false;
    this.failures += 1;
    this.lastError = error;
    this.track(this.repair());
  }

  /** Makes sure of the group and of what was handed out unseen; tries until that works. */
  private async repair(): Promise<void> {
    const { work, registry, trouble } = this.parts;
    while (!this.stopping.signal.aborted && !this.isSound) {
      this.turnedAt = performance.now();
      if (this.failures > 0) await pause(errorPauseMs(this.failures, this.lastError), this.stopping.signal);
      try {
        const { isPaused } = await work.ensure(this.queue);
        this.setPaused(isPaused);
        const unseen = await work.recover(this.queue, registry.entryIds(), registry.concurrency);
        this.isSound = true;
        this.parts.take(unseen);
      } catch (error) {
        this.failures += 1;
        this.lastError = error;
        trouble.failed(error);
      }
    }
    this.poke();
  }

  private track(work: Promise<void>): void {
    this.underway.add(work);
    void work.finally(() => this.underway.delete(work));
  }
}

function isEmpty(claimed: ClaimReply | undefined): boolean {
  return claimed === undefined || (claimed.deliveries.length === 0 && claimed.blocked.length === 0);
}

import type { Delivery, Retention, SettleReply, Settlement, WorkStore } from '../contracts/work-store.interface.js';
import type { TaskExecutor } from '../contracts/task-executor.interface.js';
import type { WorkerObserver } from '../watch/worker-observer.interface.js';
import type { CancelRequest } from '../task/cancel-request.js';
import { TaskCancelledError } from '../task/task-cancelled.error.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import {
  LeaseLostError,
  LeaseUncertainError,
  TaskTimeoutError,
  WorkerStoppingError,
  type LateCause,
} from '../task/worker-errors.js';
import type { AbandonedRuns } from './abandoned-runs.js';
import { DeadlineWatch } from './deadline-watch.js';
import { doubtKeyClaim, newRun, type Run } from './run.js';
import type { RunRegistry } from './run-registry.js';
import type { SettlementQueue } from './settlement-queue.js';
import { asCounted, Suspects } from './suspects.js';

/** What a run must have before it starts. */
export interface Leases {
  /** Whether there is enough left of its lease. */
  isFresh(run: Run): boolean;
  /** Renews it. Resolves when that worked, or the run is not ours to start any more. */
  renew(run: Run): Promise<void>;
}

export interface RunStarterParts {
  readonly work: WorkStore;
  readonly registry: RunRegistry;
  readonly executor: TaskExecutor;
  readonly settlements: SettlementQueue;
  readonly observer: WorkerObserver;
  readonly retention: Retention;
  readonly leases: Leases;
  readonly abandoned: AbandonedRuns;
}

/**
 * Takes deliveries through their life: buffered, running, settling, gone. Whatever ends an attempt first (its result, its
 * timeout, the loss of its lease, the end of the worker) decides; what comes later is ignored.
 */
export class RunStarter {
  private readonly deadlines: DeadlineWatch;
  private readonly suspects: Suspects;
  /** Deliveries that were given back. */
  releasedCount = 0;

  constructor(private readonly parts: RunStarterParts) {
    this.suspects = new Suspects(parts);
    this.deadlines = new DeadlineWatch(parts.registry, (run) => this.timeOut(run));
  }

  /**
   * Starts what has a slot and keeps the rest for the next one.
   *
   * @param leasedAt When the call that handed them out was sent, by the monotonic clock.
   */
  take(deliveries: readonly Delivery[], leasedAt: number): void {
    for (const delivery of deliveries) {
      const held = this.parts.registry.get(delivery.entryId);
      // Our own sweep found an entry we are at work on: it has a new token now, and needs no second run.
      if (held && held.state !== 'ended') adopt(held, delivery, leasedAt);
      else this.parts.registry.add(newRun(delivery, leasedAt));
    }
    this.startBuffered();
    for (const { entryId } of deliveries) doubtKeyClaim(this.parts.registry.get(entryId));
    if (this.parts.registry.hasSuspects) this.suspects.tellHeld(deliveries);
  }

  /** The task is somebody else's now. */
  lose(run: Run): void {
    this.parts.observer.observe({ kind: 'lease-lost', delivery: run.delivery });
    this.endAttempt(run, new LeaseLostError(run.delivery.taskId));
    this.parts.registry.remove(run);
    this.startBuffered();
    this.parts.registry.tellFree();
  }

  /** Tells a running handler that its task may be somebody else's. What it returns is settled all the same, if it is not. */
  doubt(run: Run, sinceMs: number, why: LateCause): void {
    if (run.state !== 'running' || run.isDoubted) return;
    run.isDoubted = true;
    run.task?.abort(new LeaseUncertainError(run.delivery.taskId, sinceMs, why));
  }

  /** Tells a handler to stop, or does not start it. What it completes all the same is completed. */
  cancel(run: Run, request: CancelRequest): void {
    if (run.cancel !== undefined) return;
    run.cancel = request;
    const { taskId, queue } = run.delivery;
    if (run.state === 'running') run.task?.abort(new TaskCancelledError(taskId, queue, request));
  }

  /** Tells a running handler that the worker is stopping; what it does not complete is handed back. */
  stop(run: Run, shutdownTimeoutMs: number): void {
    run.isStopping = true;
    if (run.state === 'running') run.task?.abort(new WorkerStoppingError(shutdownTimeoutMs));
  }

  /** Hands a task back, running or not. */
  release(run: Run): void {
    if (run.state === 'running') this.endAttempt(run, undefined);
    if (run.state !== 'settling') void this.settle(run, { kind: 'release' });
  }

  stopWatching(): void {
    this.deadlines.stop();
    this.parts.abandoned.stop();
  }

  /** Starts what waits for a slot, or for the end of everything else. */
  startBuffered(): void {
    for (let run = this.parts.registry.takeStartable(); run; run = this.parts.registry.takeStartable()) {
      if (this.parts.leases.isFresh(run)) this.startOwned(run);
      else void this.startRenewed(run);
    }
  }

  private startOwned(run: Run): void {
    if (this.parts.registry.startOf(run)) void this.startSuspect(run);
    else this.start(run);
  }

  /** Much of its lease is gone (this process stood still, or Redis did): it starts once it is known to be ours. */
  private async startRenewed(run: Run): Promise<void> {
    await this.parts.leases.renew(run);
    if (run.state === 'buffered' && !run.isStopping) return this.startOwned(run);
    this.parts.registry.freeSlot();
  }

  private async startSuspect(run: Run): Promise<void> {
    const isOurs = await this.suspects.begin(run);
    const isHeld = run.state === 'buffered';
    if (isHeld && isOurs) return this.start(run);
    this.parts.registry.freeSlot();
    if (isHeld) this.lose(run);
  }

  private start(run: Run): void {
    if (run.cancel !== undefined) {
      this.parts.registry.freeSlot();
      void this.settle(run, { kind: 'cancel', request: run.cancel });
      return;
    }
    const task = this.parts.executor.execute(run.delivery);
    run.task = task;
    run.state = 'running';
    run.startedAt = performance.now();
    this.parts.observer.observe({ kind: 'started', delivery: run.delivery });
    if (task.timeoutMs !== undefined) {
      run.deadline = run.startedAt + task.timeoutMs;
      this.deadlines.arm();
    }
    void task.outcome.then((outcome) => this.finish(run, outcome));
  }

  private finish(run: Run, outcome: TaskOutcome): void {
    if (run.state !== 'running') {
      // The attempt was over before the handler ended.
      this.parts.abandoned.ended(run);
      return;
    }
    run.state = 'ended';
    run.endedAt = performance.now();
    this.parts.registry.freeSlot();
    const handedBack = run.isStopping && outcome.kind !== 'complete' && outcome.kind !== 'cancel';
    void this.settle(run, handedBack ? { kind: 'release' } : outcome);
    if (!run.isStopping) this.startBuffered();
  }

  private timeOut(run: Run): void {
    const { task, delivery } = run;
    if (!task) return;
    const outcome = task.timeOut();
    this.endAttempt(run, new TaskTimeoutError(delivery.name, task.timeoutMs ?? 0));
    void this.settle(run, outcome);
    this.startBuffered();
  }

  /** Gives a handler up that may still be running. */
  private endAttempt(run: Run, reason: Error | undefined): void {
    const wasRunning = run.state === 'running';
    run.state = 'ended';
    if (!wasRunning) return;
    run.endedAt = performance.now();
    this.parts.abandoned.add(run);
    if (reason) run.task?.abort(reason);
    this.parts.registry.freeSlot();
    this.parts.observer.observe({ kind: 'abandoned', delivery: run.delivery });
  }

  private async settle(run: Run, end: TaskOutcome): Promise<void> {
    if (end.kind === 'lost') {
      this.parts.registry.remove(run);
      this.parts.observer.observe({ kind: 'lease-lost', delivery: run.delivery });
      return;
    }
    run.state = 'settling';
    let isLate = false;
    const keyScope = run.task?.keyScope;
    const onDelay = () => {
      if (!isLate) this.parts.registry.markUnsettled(run);
      isLate = true;
    };
    let outcome: Settlement['outcome'] = end;
    let owner: Delivery;
    let reply: SettleReply;
    do {
      owner = run.delivery;
      reply = await this.parts.settlements.settle(
        { owner: asCounted(run, outcome), outcome, keyScope, retention: this.parts.retention },
        onDelay,
      );
      if (reply.kind === 'follow-up-refused') outcome = await refused(run, reply.why);
      // Refused because our own sweep reclaimed the entry while the call was on its way: show the new token.
    } while (reply.kind === 'follow-up-refused' || (reply.kind === 'fenced' && run.delivery !== owner));
    if (isLate) this.parts.registry.unmarkUnsettled();
    this.parts.registry.remove(run);
    if (outcome.kind === 'release' && reply.kind === 'done') this.releasedCount += 1;
    if (reply.kind === 'deleted') {
      this.parts.observer.observe({ kind: 'payload-deleted', queue: owner.queue, count: 1 });
    }
    if (reply.kind === 'cancelled') this.report(run, owner, cancelled(run), { kind: 'done' });
    else this.report(run, owner, outcome, reply);
  }

  /** @param delivery The one whose token Redis answered to: a sweep of our own changes it. */
  private report(run: Run, delivery: Delivery, outcome: TaskOutcome, reply: SettleReply): void {
    this.parts.observer.observe({ kind: 'settled', delivery, outcome, reply, durationMs: run.endedAt - run.startedAt });
  }
}

/** What a completion comes to that cannot be, because its follow-ups cannot. */
async function refused(run: Run, why: string): Promise<Settlement['outcome']> {
  return (await run.task?.refuseFollowUps(why)) ?? { kind: 'release' };
}

/** Redis may know of the request before this worker does. */
function cancelled(run: Run): TaskOutcome {
  return { kind: 'cancel', request: run.cancel ?? { at: 0, reason: undefined, by: undefined } };
}

/** A new token, not a new hand-out. */
function adopt(run: Run, delivery: Delivery, leasedAt: number): void {
  run.leasedAt = leasedAt;
  run.delivery = { ...delivery, deliveryCount: run.delivery.deliveryCount, trial: run.delivery.trial };
  run.task?.adopt(run.delivery);
}

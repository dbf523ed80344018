import type { TaskExecutor } from '../contracts/task-executor.interface.js';
import type { Delivery, WorkStore } from '../contracts/work-store.interface.js';
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
import type { WorkerObserver } from '../watch/worker-observer.interface.js';
import type { AbandonedRuns } from './abandoned-runs.js';
import { DeadlineWatch } from './deadline-watch.js';
import type { LeaseGuard } from './lease-guard.js';
import { Run } from './run.js';
import type { RunRegistry } from './run-registry.js';
import type { RunSettler } from './run-settler.js';
import type { ActionAt, RunEvent } from './run-states.js';
import { Suspects } from './suspects.js';

export interface RunStarterParts {
  readonly work: WorkStore;
  readonly registry: RunRegistry;
  readonly executor: TaskExecutor;
  readonly settler: RunSettler;
  readonly observer: WorkerObserver;
  readonly leases: Pick<LeaseGuard, 'isFresh' | 'renew'>;
  readonly abandoned: AbandonedRuns;
}

/**
 * Takes deliveries through their life. Each method is an event of {@link RUN_STATES}, which says what it changes and what is
 * done then; one that comes too late is ignored.
 */
export class RunStarter {
  private readonly deadlines: DeadlineWatch;
  private readonly suspects: Suspects;

  constructor(private readonly parts: RunStarterParts) {
    this.suspects = new Suspects(parts);
    this.deadlines = new DeadlineWatch(parts.registry, (run) => this.timeOut(run));
  }

  /**
   * Starts what has a slot and keeps the rest for the next one.
   *
   * @param leasedAt When the call that delivered them was sent, by the monotonic clock.
   */
  take(deliveries: readonly Delivery[], leasedAt: number): void {
    const { registry } = this.parts;
    for (const delivery of deliveries) {
      const held = registry.get(delivery.entryId);
      // Our own sweep found an entry we are at work on: it has a new token now, and needs no second run.
      if (held) held.adopt(delivery, leasedAt);
      else registry.add(new Run(delivery, leasedAt));
    }
    this.startBuffered();
    for (const { entryId } of deliveries) {
      const run = registry.get(entryId);
      if (run?.state === 'waiting' || run?.state === 'starting') run.doubtKeyClaim();
    }
    if (registry.hasSuspects) this.suspects.tellHeld(deliveries);
  }

  /** Starts what waits for a slot, or for the end of everything else. */
  startBuffered(): void {
    const { registry, leases } = this.parts;
    for (let run = registry.takeStartable(); run; run = registry.takeStartable()) {
      if (this.move(run, 'admit') === undefined) registry.freeSlot();
      else if (leases.isFresh(run)) this.startOwned(run);
      else void this.startRenewed(run);
    }
  }

  /** The task is somebody else's now. */
  lose(run: Run): void {
    const action = this.move(run, 'lose');
    if (action === undefined) return;
    this.parts.observer.observe({ kind: 'lease-lost', delivery: run.delivery });
    if (action === 'abandon') this.abandon(run, new LeaseLostError(run.delivery.taskId));
    this.parts.registry.remove(run);
    this.startBuffered();
    this.parts.registry.tellFree();
  }

  /** Tells a running handler that its task may be somebody else's. What it returns is settled all the same, if it is not. */
  doubt(run: Run, sinceMs: number, why: LateCause): void {
    if (this.move(run, 'doubt')) run.task?.abort(new LeaseUncertainError(run.delivery.taskId, sinceMs, why));
  }

  /** Tells a handler to stop, or does not start it. What it completes all the same is completed. The first request counts. */
  cancel(run: Run, request: CancelRequest): void {
    if (run.cancel !== undefined) return;
    const action = this.move(run, 'cancel');
    if (action === undefined) return;
    run.cancel = request;
    const { taskId, queue } = run.delivery;
    if (action === 'abort') run.task?.abort(new TaskCancelledError(taskId, queue, request));
  }

  /** Tells a running handler that the worker is stopping; what it does not complete is released. */
  stop(run: Run, shutdownTimeoutMs: number): void {
    const action = this.move(run, 'stop');
    if (action === 'abort') run.task?.abort(new WorkerStoppingError(shutdownTimeoutMs));
    if (action === 'settle') void this.parts.settler.settle(run, { kind: 'release' });
  }

  /** Gives a task back, running or not. */
  release(run: Run): void {
    const action = this.move(run, 'release');
    if (action === undefined) return;
    if (action === 'abandon') this.abandon(run, undefined);
    void this.parts.settler.settle(run, { kind: 'release' });
  }

  stopWatching(): void {
    this.deadlines.stop();
    this.parts.abandoned.stop();
  }

  /** The one place where a run changes its state: with the last state that has a slot, the slot is free. */
  private move<E extends RunEvent>(run: Run, event: E): ActionAt<E> | undefined {
    const hadSlot = run.hasSlot;
    const action = run.take(event);
    if (hadSlot && !run.hasSlot) this.parts.registry.freeSlot();
    return action;
  }

  private startOwned(run: Run): void {
    if (this.parts.registry.startOf(run)) void this.startSuspect(run);
    else this.start(run);
  }

  /** Much of its lease is gone (this process stood still, or Redis did): it starts once it is known to be ours. */
  private async startRenewed(run: Run): Promise<void> {
    await this.parts.leases.renew(run);
    if (run.state === 'starting') this.startOwned(run);
  }

  private async startSuspect(run: Run): Promise<void> {
    const isOurs = await this.suspects.begin(run);
    if (run.state !== 'starting') return;
    if (isOurs) this.start(run);
    else this.lose(run);
  }

  private start(run: Run): void {
    const { executor, observer, settler } = this.parts;
    if (run.cancel !== undefined) {
      if (this.move(run, 'skip')) void settler.settle(run, { kind: 'cancel', request: run.cancel });
      return;
    }
    if (this.move(run, 'start') === undefined) return;
    const task = executor.execute(run.delivery);
    run.begin(task);
    observer.observe({ kind: 'started', delivery: run.delivery });
    if (task.timeoutMs !== undefined) this.deadlines.arm();
    void task.outcome.then((outcome) => this.finish(run, outcome));
  }

  private finish(run: Run, outcome: TaskOutcome): void {
    if (outcome.kind === 'lost') return this.disown(run);
    const action = this.move(run, 'finish');
    if (action === undefined) return;
    // The attempt was over before the handler ended.
    if (action === 'end-late') return this.parts.abandoned.ended(run);
    const isDone = outcome.kind === 'complete' || outcome.kind === 'cancel';
    const isReleased = action === 'settle-if-done' && !isDone;
    void this.parts.settler.settle(run, isReleased ? { kind: 'release' } : outcome);
    this.startBuffered();
  }

  /** Its handler found that the task is somebody else's. */
  private disown(run: Run): void {
    const { abandoned, observer, registry, settler } = this.parts;
    const action = this.move(run, 'disown');
    if (action === undefined) return;
    if (action === 'end-late') return abandoned.ended(run);
    if (action === 'settle-if-done') {
      void settler.settle(run, { kind: 'release' });
    } else {
      registry.remove(run);
      observer.observe({ kind: 'lease-lost', delivery: run.delivery });
    }
    this.startBuffered();
  }

  private timeOut(run: Run): void {
    const { task, delivery } = run;
    if (!task) return;
    const outcome = task.timeOut();
    if (outcome.kind === 'lost') return this.lose(run);
    if (this.move(run, 'timeOut') === undefined) return;
    this.abandon(run, new TaskTimeoutError(delivery.name, task.timeoutMs ?? 0));
    void this.parts.settler.settle(run, outcome);
    this.startBuffered();
  }

  /** Waits for its handler no longer, which may go on. */
  private abandon(run: Run, reason: Error | undefined): void {
    this.parts.abandoned.add(run);
    if (reason) run.task?.abort(reason);
    this.parts.observer.observe({ kind: 'abandoned', delivery: run.delivery });
  }
}

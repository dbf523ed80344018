import type { Delivery, LeaseBroker, Retention, SettleReply } from '../contracts/broker.interface.js';
import type { TaskExecutor } from '../contracts/task-executor.interface.js';
import type { WorkerObserver } from '../contracts/worker-observer.interface.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import { LeaseLostError, TaskTimeoutError, WorkerStoppingError } from '../task/worker-errors.js';
import { DeadlineWatch } from './deadline-watch.js';
import { newRun, type Run } from './run.js';
import type { RunRegistry } from './run-registry.js';
import type { SettlementQueue } from './settlement-queue.js';

/**
 * Takes deliveries through their life: buffered, running, settling, gone. Whatever ends an attempt first (its result, its
 * timeout, the loss of its lease, the end of the worker) decides; what comes later is ignored.
 */
export class RunStarter {
  private readonly deadlines: DeadlineWatch;
  private abandoned = 0;

  constructor(
    private readonly broker: LeaseBroker,
    private readonly registry: RunRegistry,
    private readonly executor: TaskExecutor,
    private readonly settlements: SettlementQueue,
    private readonly observer: WorkerObserver,
    private readonly retention: Retention,
  ) {
    this.deadlines = new DeadlineWatch(registry, (run) => this.timeOut(run));
  }

  /** Handlers that went on after their attempt was over, and have not ended yet. */
  get abandonedCount(): number {
    return this.abandoned;
  }

  /** Starts what has a slot and keeps the rest for the next one. */
  take(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      const held = this.registry.get(delivery.entryId);
      // Our own sweep found an entry we are at work on: it has a new token now, and needs no second run.
      if (held && held.state !== 'ended') adopt(held, delivery);
      else this.registry.add(newRun(delivery));
    }
    this.startBuffered();
  }

  /** The task is somebody else's now. */
  lose(run: Run): void {
    this.observer.observe({ kind: 'lease-lost', delivery: run.delivery });
    this.endAttempt(run, new LeaseLostError(run.delivery.taskId));
    this.registry.remove(run);
    this.startBuffered();
    this.registry.tellFree();
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
  }

  /** Starts what waits for a slot, or for the end of everything else. */
  startBuffered(): void {
    for (let run = this.registry.takeStartable(); run; run = this.registry.takeStartable()) {
      if (this.registry.isSuspect(run)) void this.startSuspect(run);
      else this.start(run);
    }
  }

  /** Its last hand-out counts from here on. Where that cannot be written, its lease will lapse. */
  private async startSuspect(run: Run): Promise<void> {
    const isOurs = await this.broker.begin(run.delivery).catch(() => false);
    const isHeld = run.state === 'buffered';
    if (isHeld && isOurs) return this.start(run);
    this.registry.freeSlot();
    if (isHeld) this.lose(run);
  }

  private start(run: Run): void {
    const task = this.executor.execute(run.delivery);
    run.task = task;
    run.state = 'running';
    run.startedAt = performance.now();
    this.observer.observe({ kind: 'started', delivery: run.delivery });
    if (task.timeoutMs !== undefined) {
      run.deadline = run.startedAt + task.timeoutMs;
      this.deadlines.arm();
    }
    void task.outcome.then((outcome) => this.finish(run, outcome));
  }

  private finish(run: Run, outcome: TaskOutcome): void {
    if (run.state !== 'running') {
      // The attempt was over before the handler ended.
      this.abandoned -= 1;
      return;
    }
    run.state = 'ended';
    this.registry.freeSlot();
    const handedBack = run.isStopping && outcome.kind !== 'complete';
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
    this.abandoned += 1;
    if (reason) run.task?.abort(reason);
    this.registry.freeSlot();
    this.observer.observe({ kind: 'abandoned', delivery: run.delivery });
  }

  private async settle(run: Run, outcome: TaskOutcome): Promise<void> {
    if (outcome.kind === 'lost') {
      this.registry.remove(run);
      this.observer.observe({ kind: 'lease-lost', delivery: run.delivery });
      return;
    }
    run.state = 'settling';
    let isLate = false;
    const keyScope = run.task?.keyScope;
    const onDelay = () => {
      if (!isLate) this.registry.markUnsettled(run);
      isLate = true;
    };
    let owner: Delivery;
    let reply: SettleReply;
    do {
      owner = run.delivery;
      reply = await this.settlements.settle({ owner, outcome, keyScope, retention: this.retention }, onDelay);
      // Refused because our own sweep took the entry over while the call was on its way: show the new token.
    } while (reply.kind === 'fenced' && run.delivery !== owner);
    if (isLate) this.registry.unmarkUnsettled();
    this.registry.remove(run);
    this.report(run, owner, outcome, reply);
  }

  /** @param delivery The one whose token Redis answered to: a sweep of our own changes it. */
  private report(run: Run, delivery: Delivery, outcome: TaskOutcome, reply: SettleReply): void {
    const durationMs = run.startedAt === 0 ? 0 : performance.now() - run.startedAt;
    this.observer.observe({ kind: 'settled', delivery, outcome, reply, durationMs });
  }
}

/** A new token, not a new hand-out. */
function adopt(run: Run, delivery: Delivery): void {
  run.delivery = { ...delivery, deliveryCount: run.delivery.deliveryCount };
  run.task?.adopt(run.delivery);
}

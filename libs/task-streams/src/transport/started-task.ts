import type { DeadLetterSink } from '../contracts/dead-letter-sink.interface.js';
import type { RunningTask } from '../contracts/task-executor.interface.js';
import type { TaskTracing } from '../contracts/task-tracing.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import { concludeTimeout } from '../pipeline/conclude.js';
import { isTaken, letterOf } from '../pipeline/offer-dead-letter.js';
import { recordRefusedFollowUps } from '../pipeline/record-failure.js';
import { reportFailure } from '../pipeline/report-failure.js';
import type { TaskRun } from '../pipeline/task-run.js';
import type { DeadLetterOutcome, TaskOutcome } from '../task/task-outcome.js';

/** Who is told when a task is ended from outside of its handler. */
export interface EndParts {
  readonly sink: DeadLetterSink;
  readonly tracing?: TaskTracing | undefined;
}

/** What the worker holds of a task that runs. A class: an object literal with a getter takes a microsecond to make. */
export class StartedTask implements RunningTask {
  readonly timeoutMs: number | undefined;

  constructor(
    private readonly run: TaskRun,
    readonly outcome: Promise<TaskOutcome>,
    private readonly parts: EndParts,
  ) {
    this.timeoutMs = run.input.policy.timeoutMs;
  }

  get keyScope(): string | undefined {
    return this.run.keyScope;
  }

  abort(reason: Error): void {
    this.run.abort(reason);
  }

  adopt(delivery: Delivery): void {
    this.run.delivery = delivery;
  }

  /** The worker cannot wait for a sink here: it is told, and the stream keeps the dead letter too. */
  timeOut(): TaskOutcome {
    const { run, parts } = this;
    const { policy, delivery } = run.input;
    const failure = concludeTimeout(run);
    const { outcome, isOffered } = failure;
    run.close();
    reportFailure(run, failure);
    parts.tracing?.giveUp(delivery, failure);
    if (outcome.kind !== 'dead-letter' || isOffered) return outcome;
    if (policy.pieces.deadLetter) void isTaken(parts.sink, letterOf(run, outcome));
    return { ...outcome, keep: policy.keepsDeadLetters };
  }

  /** Its completion is taken back: it is a dead letter now, which no filter has offered. */
  async refuseFollowUps(why: string): Promise<DeadLetterOutcome> {
    const { run, parts } = this;
    const { failure, outcome } = recordRefusedFollowUps(run, why);
    const { policy } = run.input;
    reportFailure(run, failure);
    const isGone = policy.pieces.deadLetter && (await isTaken(parts.sink, letterOf(run, outcome)));
    return { ...outcome, keep: policy.keepsDeadLetters && !isGone };
  }
}

import { isObservable, lastValueFrom } from 'rxjs';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { DeadLetterSink } from '../contracts/dead-letter-sink.interface.js';
import { guardTracing } from '../contracts/guard-tracing.js';
import type { RunningTask, TaskExecutor } from '../contracts/task-executor.interface.js';
import type { ProcessedTask, TaskTracing } from '../contracts/task-tracing.interface.js';
import { conclude, type PipelineEnd } from '../pipeline/conclude.js';
import { runAsTask } from '../pipeline/current-task.js';
import { recordFailure, recordRefusedFollowUps } from '../pipeline/record-failure.js';
import { reportFailure } from '../pipeline/report-failure.js';
import { applyMessageOptions, expiryOfQueue } from '../pipeline/resolve-policy.js';
import { letterOf, setAside, takes } from '../pipeline/set-aside.js';
import { RunContext } from '../pipeline/run-context.js';
import type { TaskContext } from '../pipeline/task-context.js';
import { TaskRun, type RecordedFailure, type RunServices } from '../pipeline/task-run.js';
import { deadLetterOf } from '../task/dead-letter-of.js';
import type { TaskEnvelope } from '../task/envelope.js';
import { keyScope as keyScopeOf } from '../task/names.js';
import type { DeadLetterOutcome, TaskOutcome } from '../task/task-outcome.js';
import { TaskTimeoutError } from '../task/worker-errors.js';
import { dropEntry, giveUpEntry, offerAgain, type UnrunnableEntry } from './entry-outcomes.js';
import type { HandlerRegistry, RegisteredHandler } from '../handlers/handler-registry.js';
import type { ProcessingHooks } from './processing-hooks.js';
import { readDelivery, type ReadDelivery } from './read-delivery.js';

/** What the executor works with. */
export interface ExecutorDeps {
  readonly services: RunServices;
  readonly registry: HandlerRegistry;
  readonly hooks: ProcessingHooks;
  readonly sink: DeadLetterSink;
  readonly tracing?: TaskTracing | undefined;
}

/** Runs deliveries through the pipeline of Nest. Whatever happens in there, a task comes to exactly one outcome. */
export class NestTaskExecutor implements TaskExecutor {
  readonly #tracing: TaskTracing | undefined;

  constructor(private readonly deps: ExecutorDeps) {
    this.#tracing = guardTracing(deps.tracing);
  }

  execute(delivery: Delivery): RunningTask {
    const { services, registry } = this.deps;
    const read = readDelivery(delivery, services.options, registry);
    if (read.kind !== 'runnable') return ended(this.#refuse(delivery, read), preclaimedScope(delivery, read.envelope));
    const { envelope, meta, payload, handler, startLimits } = read;
    const policy = applyMessageOptions(handler.policy, envelope.options);
    const run = new TaskRun({ delivery, envelope, meta, payload, policy, startLimits }, services);
    return new StartedTask(run, this.#run(run, handler), this.#ends);
  }

  /** What a task comes to that is not run here. */
  async #refuse(delivery: Delivery, read: Exclude<ReadDelivery, { kind: 'runnable' }>): Promise<TaskOutcome> {
    const { options, workerName: worker, now, random } = this.deps.services;
    if (read.kind === 'expired') {
      const { policy } = read.handler ?? {};
      const entry: UnrunnableEntry = { ...read, reason: 'expired', delivery, worker, at: now() };
      const onExpired = policy?.onExpired ?? expiryOfQueue(options, delivery.queue);
      if (onExpired === 'drop') return dropEntry(entry);
      return this.#offerEntry(entry, giveUpEntry(entry), policy?.keepsDeadLetters);
    }
    const entry: UnrunnableEntry = { ...read, delivery, worker, at: now() };
    const outcome =
      read.mayBeKnownElsewhere && delivery.taskId !== ''
        ? offerAgain(entry, options.timing.unknownTaskGraceMs, random)
        : giveUpEntry(entry);
    return outcome.kind === 'dead-letter' ? this.#offerEntry(entry, outcome) : outcome;
  }

  #run(run: TaskRun, handler: RegisteredHandler): Promise<TaskOutcome> {
    return this.#tracing === undefined ? this.#execute(run, handler) : this.#trace(run, handler, this.#tracing);
  }

  async #trace(run: TaskRun, handler: RegisteredHandler, tracing: TaskTracing): Promise<TaskOutcome> {
    const end = await tracing.process(processedTask(run), async () => {
      const outcome = await this.#execute(run, handler);
      return { outcome, error: run.failure?.error };
    });
    return end.outcome;
  }

  async #execute(run: TaskRun, handler: RegisteredHandler): Promise<TaskOutcome> {
    const context = new RunContext(run);
    const end = await this.#pipeline(run, handler, context).then(value, error);
    const concluded = conclude(run, end);
    // What comes after a timeout was told of then.
    if (!('kind' in concluded) && !run.isClosed) reportFailure(run, concluded);
    const outcome = 'kind' in concluded ? concluded : await this.#settleFailure(run, concluded);
    run.close();
    return outcome;
  }

  #pipeline(run: TaskRun, handler: RegisteredHandler, context: TaskContext): Promise<unknown> {
    const { hooks } = this.deps;
    const answer = () => answerOf(handler, run, context);
    if (!run.services.options.asyncContext) return hooks.around(context, answer);
    return runAsTask(context, () => hooks.around(context, answer));
  }

  /** The filter has offered the letter already, unless a filter of the user's stood in front of it. */
  async #settleFailure(run: TaskRun, failure: ReturnType<typeof recordFailure>): Promise<TaskOutcome> {
    const { outcome } = failure;
    if (outcome.kind === 'dead-letter' && !run.input.policy.pieces.deadLetter) return { ...outcome, keep: false };
    return (await setAside(run, failure, this.deps.sink)).outcome;
  }

  /** The worker cannot wait for a sink here: it is told, and the stream keeps the letter too. */
  readonly #timeOut = (run: TaskRun): TaskOutcome => {
    const { envelope, policy } = run.input;
    // Its letter is with the sink: the attempt has ended, and only the sink is late.
    const isOffered = run.failure?.isSetAside === true;
    const failure = isOffered
      ? (run.failure as RecordedFailure)
      : recordFailure(run, new TaskTimeoutError(envelope.name, policy.timeoutMs ?? 0));
    const { outcome } = failure;
    run.close();
    reportFailure(run, failure);
    this.#tracing?.giveUp(run.input.delivery, failure);
    if (outcome.kind !== 'dead-letter' || isOffered) return outcome;
    if (policy.pieces.deadLetter) void takes(this.deps.sink, letterOf(run, outcome));
    return { ...outcome, keep: policy.keepsDeadLetters };
  };

  readonly #refuseFollowUps: LateEnds['refuseFollowUps'] = async (run, why) => {
    const { failure, outcome } = recordRefusedFollowUps(run, why);
    const { policy } = run.input;
    reportFailure(run, failure);
    const isTaken = policy.pieces.deadLetter && (await takes(this.deps.sink, letterOf(run, outcome)));
    return { ...outcome, keep: policy.keepsDeadLetters && !isTaken };
  };

  readonly #ends: LateEnds = { timeOut: this.#timeOut, refuseFollowUps: this.#refuseFollowUps };

  async #offerEntry(entry: UnrunnableEntry, outcome: DeadLetterOutcome, keeps = true): Promise<TaskOutcome> {
    const isTaken = await takes(this.deps.sink, deadLetterOf(entry.delivery, entry.envelope, outcome));
    return { ...outcome, keep: keeps && !isTaken };
  }
}

/** Ends that come from outside of the handler. */
interface LateEnds {
  readonly timeOut: (run: TaskRun) => TaskOutcome;
  readonly refuseFollowUps: (run: TaskRun, why: string) => Promise<DeadLetterOutcome>;
}

/** What the worker holds of a task that runs. A class: an object literal with a getter takes a microsecond to make. */
class StartedTask implements RunningTask {
  readonly timeoutMs: number | undefined;

  constructor(
    private readonly run: TaskRun,
    readonly outcome: Promise<TaskOutcome>,
    private readonly ends: LateEnds,
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

  timeOut(): TaskOutcome {
    return this.ends.timeOut(this.run);
  }

  refuseFollowUps(why: string): Promise<DeadLetterOutcome> {
    return this.ends.refuseFollowUps(this.run, why);
  }
}

/** The last value of whatever the pipeline answers; filters of Nest answer observables, sometimes inside a promise. */
async function answerOf(handler: RegisteredHandler, run: TaskRun, context: TaskContext): Promise<unknown> {
  const answer: unknown = await handler.invoke(run.input.payload, context);
  return isObservable(answer) ? lastValueFrom(answer, { defaultValue: undefined }) : answer;
}

function processedTask(run: TaskRun): ProcessedTask {
  const { delivery, envelope, meta } = run.input;
  const { id: taskId, name, headers } = envelope;
  return { delivery, name, taskId, headers, attempt: meta.failedAttempts + 1 };
}

function value(result: unknown): PipelineEnd {
  return { kind: 'value', value: result };
}

function error(reason: unknown): PipelineEnd {
  return { kind: 'error', error: reason };
}

/** The key that the read script has locked for a task that is not run: it is freed when the task is settled. */
function preclaimedScope({ keyClaim }: Delivery, envelope: TaskEnvelope | undefined): string | undefined {
  const isLocked = keyClaim?.kind === 'won' && envelope?.idempotencyKey !== undefined;
  return isLocked ? keyScopeOf(envelope.name, envelope.idempotencyKey) : undefined;
}

function ended(outcome: Promise<TaskOutcome>, keyScope: string | undefined): RunningTask {
  return {
    abort: () => undefined,
    adopt: () => undefined,
    keyScope,
    timeoutMs: undefined,
    outcome,
    timeOut: () => {
      throw new TypeError('A task that was never started has no timeout');
    },
    refuseFollowUps: () => Promise.reject(new TypeError('A task that was never started has no follow-ups')),
  };
}

import { isObservable, lastValueFrom } from 'rxjs';
import type { DeadLetterSink } from '../contracts/dead-letter-sink.interface.js';
import type { RunningTask } from '../contracts/task-executor.interface.js';
import type { TaskTracing } from '../contracts/task-tracing.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { HandlerRegistry, RegisteredHandler } from '../handlers/handler-registry.js';
import { conclude, type PipelineEnd } from '../pipeline/conclude.js';
import { runAsTask } from '../pipeline/current-task.js';
import { offerDeadLetter } from '../pipeline/offer-dead-letter.js';
import { reportFailure } from '../pipeline/report-failure.js';
import { applyMessageOptions } from '../pipeline/resolve-policy.js';
import { RunContext } from '../pipeline/run-context.js';
import type { TaskContext } from '../pipeline/task-context.js';
import { TaskRun, type RecordedFailure, type RunServices } from '../pipeline/task-run.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import type { ProcessingHooks } from './processing-hooks.js';
import { readDelivery, type ReadDelivery } from './read-delivery.js';
import { refuseDelivery } from './refuse-delivery.js';
import { StartedTask } from './started-task.js';

/** What an attempt needs of its surroundings. */
export interface AttemptParts {
  readonly services: RunServices;
  readonly registry: HandlerRegistry;
  readonly hooks: ProcessingHooks;
  readonly sink: DeadLetterSink;
  readonly tracing?: TaskTracing | undefined;
}

type Runnable = Extract<ReadDelivery, { kind: 'runnable' }>;

/**
 * The life of one attempt, from a delivery to its outcome. This file is to be read from top to bottom; each step is in the
 * file that it names.
 *
 * 1. Read the delivery: crash limit, message, time limits, handler, payload (`read-delivery.ts`).
 * 2. Where it cannot be run here, say what it comes to (`refuse-delivery.ts`).
 * 3. Open the run: what the message, the handler and the module say (`task-run.ts`).
 * 4. Open its trace.
 * 5. Pass it through Nest: guards, interceptors, pipes, handler, filters. They decide about errors (`run-piece.ts`).
 * 6. Conclude: complete on positive proof, with the encoded result, else the failure (`conclude.ts`).
 * 7. Report a failure, and offer a dead letter to the sink (`report-failure.ts`, `offer-dead-letter.ts`).
 * 8. Close the run: what comes later is ignored.
 *
 * What ends it from outside of the handler, its timeout above all, is in `started-task.ts`. Nothing here knows Redis: the
 * worker settles the outcome.
 */
export function startAttempt(delivery: Delivery, parts: AttemptParts): RunningTask {
  const read = readDelivery(delivery, parts.services.options, parts.registry);
  if (read.kind !== 'runnable') return refuseDelivery(delivery, read, parts);
  const run = openRun(delivery, read, parts.services);
  const outcome =
    parts.tracing === undefined
      ? runAttempt(run, read.handler, parts)
      : runTraced(run, read.handler, parts, parts.tracing);
  return new StartedTask(run, outcome, parts);
}

function openRun(delivery: Delivery, read: Runnable, services: RunServices): TaskRun {
  const { envelope, meta, payload, handler, startLimits } = read;
  const policy = applyMessageOptions(handler.policy, envelope.options);
  return new TaskRun({ delivery, envelope, meta, payload, policy, startLimits }, services);
}

async function runTraced(
  run: TaskRun,
  handler: RegisteredHandler,
  parts: AttemptParts,
  tracing: TaskTracing,
): Promise<TaskOutcome> {
  const { delivery, envelope, meta } = run.input;
  const { id: taskId, name, headers } = envelope;
  const task = { delivery, name, taskId, headers, attempt: meta.failedAttempts + 1 };
  const end = await tracing.process(task, async () => {
    const outcome = await runAttempt(run, handler, parts);
    return { outcome, error: run.failure?.error };
  });
  return end.outcome;
}

async function runAttempt(run: TaskRun, handler: RegisteredHandler, parts: AttemptParts): Promise<TaskOutcome> {
  const end = await passThroughNest(run, handler, parts.hooks).then(returned, threw);
  const conclusion = conclude(run, end);
  const outcome = isFailure(conclusion) ? await tellOfFailure(run, conclusion, parts.sink) : conclusion;
  run.close();
  return outcome;
}

function passThroughNest(run: TaskRun, handler: RegisteredHandler, hooks: ProcessingHooks): Promise<unknown> {
  const context = new RunContext(run);
  const answer = (): Promise<unknown> => lastAnswerOf(run, handler, context);
  if (!run.services.options.asyncContext) return hooks.around(context, answer);
  return runAsTask(context, () => hooks.around(context, answer));
}

/** The last value of what the pipeline answers; filters of Nest answer observables, sometimes inside a promise. */
async function lastAnswerOf(run: TaskRun, handler: RegisteredHandler, context: TaskContext): Promise<unknown> {
  const answer: unknown = await handler.invoke(run.input.payload, context);
  return isObservable(answer) ? lastValueFrom(answer, { defaultValue: undefined }) : answer;
}

function returned(value: unknown): PipelineEnd {
  return { kind: 'value', value };
}

function threw(error: unknown): PipelineEnd {
  return { kind: 'error', error };
}

function isFailure(conclusion: TaskOutcome | RecordedFailure): conclusion is RecordedFailure {
  return !('kind' in conclusion);
}

/** Our filter has offered the dead letter already, unless a filter of the user's stood in front of it. */
async function tellOfFailure(run: TaskRun, failure: RecordedFailure, sink: DeadLetterSink): Promise<TaskOutcome> {
  // What comes after a timeout was told of then.
  if (!run.isClosed) reportFailure(run, failure);
  const { outcome } = failure;
  if (outcome.kind === 'dead-letter' && !run.input.policy.pieces.deadLetter) return { ...outcome, keep: false };
  return (await offerDeadLetter(run, failure, sink)).outcome;
}

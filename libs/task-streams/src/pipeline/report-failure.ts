import { Logger } from '@nestjs/common';
import type { FailedAttempt } from '../contracts/task-error-reporter.interface.js';
import type { DeadLetterOutcome, RetryOutcome } from '../task/task-outcome.js';
import type { RecordedFailure, TaskRun } from './task-run.js';

const logger = new Logger('TaskErrors');

/**
 * Tells the {@link TaskErrorReporter} of an attempt that failed, once, where one is bound. A task that is deferred or released,
 * or whose error the options expect, has not failed. Never throws, and waits for nobody.
 */
export function reportFailure(run: TaskRun, { error, outcome }: RecordedFailure): void {
  const { reporter } = run.services;
  if (reporter === undefined || (outcome.kind !== 'retry' && outcome.kind !== 'dead-letter')) return;
  if (run.isReported || (outcome.kind === 'dead-letter' && outcome.expected)) return;
  run.isReported = true;
  const warn = (cause: unknown): void =>
    logger.error(`Task ${run.input.envelope.id}: the error reporter failed; the task is not changed by it`, cause);
  try {
    Promise.resolve(reporter.report(error, attemptOf(run, outcome))).catch(warn);
  } catch (cause) {
    warn(cause);
  }
}

function attemptOf(run: TaskRun, outcome: RetryOutcome | DeadLetterOutcome): FailedAttempt {
  const { delivery, envelope } = run.input;
  const isLastAttempt = outcome.kind === 'dead-letter';
  return {
    queue: delivery.queue,
    task: envelope.name,
    taskId: envelope.id,
    entryId: delivery.entryId,
    attempt: run.meta.failedAttempts + 1,
    deliveryCount: delivery.deliveryCount,
    isLastAttempt,
    reason: isLastAttempt ? outcome.info.reason : undefined,
    nextDelayMs: isLastAttempt ? undefined : outcome.delayMs,
  };
}

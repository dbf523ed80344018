import type { Attributes } from '@opentelemetry/api';
import type { TaskOutcome } from '../task/task-outcome.js';
import { OUTCOMES } from '../watch/facts.js';
import { ATTR, type Operation } from './semconv.js';

/** What a span says about an outcome: the name of its fact. */
export function outcomeAttributes(outcome: TaskOutcome): Attributes {
  return {
    [ATTR.outcome]: OUTCOMES[outcome.kind].name,
    ...('replayed' in outcome && outcome.replayed ? { [ATTR.isReplay]: true } : {}),
    ...('delayMs' in outcome ? { [ATTR.delayMs]: outcome.delayMs } : {}),
    ...('info' in outcome ? { [ATTR.reason]: outcome.info.reason } : {}),
  };
}

/** What settling with an outcome is called. */
export function settleOperation(outcome: TaskOutcome): Extract<Operation, { type: 'settle' }> {
  return { type: 'settle', name: OUTCOMES[outcome.kind].settling };
}

/** Whether the attempt failed. An error that the options expect makes nothing red. */
export function isFailure(outcome: TaskOutcome): boolean {
  const isExpected = 'expected' in outcome && outcome.expected;
  return OUTCOMES[outcome.kind].isFailure && !isExpected;
}

import type { Attributes } from '@opentelemetry/api';
import { assertNever, type TaskOutcome } from '../task/task-outcome.js';
import { ATTR, type Operation } from './semconv.js';

/** What a span says about an outcome. */
export function outcomeAttributes(outcome: TaskOutcome): Attributes {
  switch (outcome.kind) {
    case 'complete':
      return { [ATTR.outcome]: outcome.replayed ? 'replayed' : 'completed' };
    case 'retry':
    case 'defer':
      return { [ATTR.outcome]: outcome.kind, [ATTR.delayMs]: outcome.delayMs };
    case 'dead-letter':
      return { [ATTR.outcome]: outcome.kind, [ATTR.reason]: outcome.info.reason };
    case 'expired':
    case 'cancel':
    case 'release':
    case 'lost':
      return { [ATTR.outcome]: outcome.kind };
    default:
      return assertNever(outcome);
  }
}

/** What settling with an outcome is called. */
export function settleOperation(outcome: TaskOutcome): Extract<Operation, { type: 'settle' }> {
  switch (outcome.kind) {
    case 'complete':
      return { type: 'settle', name: 'ack' };
    case 'retry':
    case 'defer':
    case 'release':
      return { type: 'settle', name: outcome.kind };
    case 'dead-letter':
      return { type: 'settle', name: 'dead_letter' };
    case 'expired':
      return { type: 'settle', name: 'expire' };
    case 'cancel':
      return { type: 'settle', name: 'cancel' };
    case 'lost':
      return { type: 'settle', name: 'release' };
    default:
      return assertNever(outcome);
  }
}

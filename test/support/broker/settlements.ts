import type { Delivery, Retention, Settlement } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import type { DeadLetterReason } from '../../../libs/task-streams/src/task/dead-letter.js';
import { FRESH_META, withFailedAttempt } from '../../../libs/task-streams/src/task/task-meta.js';
import type {
  CompleteOutcome,
  DeadLetterOutcome,
  FollowUp,
  RetryOutcome,
} from '../../../libs/task-streams/src/task/task-outcome.js';

const RETENTION: Retention = {
  recordMs: 3_600_000,
  deadRecordMs: 14 * 24 * 3_600_000,
  deadLetterMaxCount: 100_000,
};

const ERROR = { name: 'Error', message: 'boom' };
const ATTEMPT = { attempt: 1, at: 1, durationMs: 1, worker: 'w', error: ERROR };

export function settlement(
  owner: Delivery,
  outcome: Settlement['outcome'],
  over: { readonly keyScope?: string; readonly retention?: Partial<Retention> } = {},
): Settlement {
  return { owner, outcome, keyScope: over.keyScope, retention: { ...RETENTION, ...over.retention } };
}

export function completion(json = 'null', followUps: readonly FollowUp[] = []): CompleteOutcome {
  return { kind: 'complete', result: { kind: 'stored', json }, key: undefined, followUps, replayed: false };
}

export function retry(delayMs: number): RetryOutcome {
  return { kind: 'retry', delayMs, meta: withFailedAttempt(FRESH_META, ATTEMPT), error: ERROR };
}

export function deadLetter(reason: DeadLetterReason, info: Partial<DeadLetterOutcome['info']> = {}): DeadLetterOutcome {
  return {
    kind: 'dead-letter',
    keep: true,
    info: {
      reason,
      error: ERROR,
      failedAttempts: 1,
      deliveryCount: 1,
      firstFailedAt: 1,
      at: 1,
      worker: 'w',
      history: [ATTEMPT],
      redriveCount: 0,
      redrives: [],
      fingerprint: '0123456789abcdef',
      ...info,
    },
  };
}

import type { TaskOutcome } from '../../../libs/task-streams/src/task/task-outcome.js';
import { FRESH_META } from '../../../libs/task-streams/src/task/task-meta.js';
import type { TaskChangeKind } from '../../../libs/task-streams/src/contracts/task-store.interface.js';
import type { FactName, WatchedEvent } from '../../../libs/task-streams/src/watch/fact.interface.js';
import type { WorkerEvent } from '../../../libs/task-streams/src/watch/worker-observer.interface.js';
import { completion, deadLetter } from '../broker/settlements.js';
import { deliveryOf } from '../nest/deliveries.js';

const delivery = deliveryOf({ taskId: 'a', name: 'n', queue: 'q' });
const error = { name: 'Error', message: 'no', code: 'E' };
const item = { id: 'a', name: 'n', idempotencyKey: '', head: '', body: '', delayMs: 0, runAt: 0 };

function settled(outcome: TaskOutcome, reply: 'done' | 'gone' = 'done'): WorkerEvent {
  return { kind: 'settled', delivery, outcome, reply: { kind: reply }, durationMs: 1 };
}

/** What no worker and no sender tells: the store or the service that does it writes it down. */
type ByHand = Exclude<TaskChangeKind, WatchedEvent['kind'] | Ended> | 'dead-letters-redriven';
type Ended = 'completed' | 'retrying' | 'deferred' | 'dead' | 'expired' | 'cancelled' | 'released';

/** An event for each fact. */
export const EVERY_EVENT = {
  enqueued: { kind: 'enqueued', queue: 'q', item, isDuplicate: false, isContract: false },
  'enqueue-failed': {
    kind: 'enqueue-failed',
    ...{ queue: 'q', name: 'n', taskId: 'a', failure: 'full', error: new Error('full'), isContract: false },
  },
  'enqueue-ended': { kind: 'enqueue-ended', queue: 'q', durationMs: 1 },
  redriven: { kind: 'redriven', queue: 'q', taskId: 'a', name: 'n', entryId: '1-0', isMended: true },
  started: { kind: 'started', delivery },
  completed: settled(completion()),
  retrying: settled({ kind: 'retry', delayMs: 1, meta: FRESH_META, error }),
  deferred: settled({ kind: 'defer', delayMs: 1, meta: FRESH_META, why: 'busy', expected: true }),
  dead: settled(deadLetter('timeout', { error, history: [] })),
  expired: settled({ kind: 'expired', error, failedAttempts: 1 }),
  cancelled: settled({ kind: 'cancel', request: { at: 1, reason: 'r', by: 'ann' } }),
  released: settled({ kind: 'release' }),
  refused: settled({ kind: 'release' }, 'gone'),
  reclaimed: { kind: 'reclaimed', delivery, previousOwner: 'w' },
  'lease-lost': { kind: 'lease-lost', delivery },
  'lease-late': { kind: 'lease-late', queue: 'q', sinceMs: 1, leaseMs: 2, heldCount: 1, why: 'redis' },
  abandoned: { kind: 'abandoned', delivery },
  stuck: { kind: 'stuck', delivery, abandonedMs: 1 },
  suspect: { kind: 'suspect', delivery, now: 'alone' },
  'payload-deleted': { kind: 'payload-deleted', queue: 'q', count: 1 },
  'dead-letters-dropped': { kind: 'dead-letters-dropped', queue: 'q', count: 1 },
  'redis-error': { kind: 'redis-error', queue: 'q', operation: 'fetch', error: new Error('down') },
  'redis-recovered': { kind: 'redis-recovered', queue: 'q', operation: 'fetch' },
  'stalled-loop': { kind: 'stalled-loop', stalledMs: 1 },
} satisfies Record<Exclude<FactName, ByHand>, WatchedEvent>;

import type { Delivery, SettleReply } from '../contracts/work-store.interface.js';
import { describeError } from '../task/error-description.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import type { Fact, FactName, FactOf, Facts, WatchedEvent } from './fact.interface.js';
import { levelOf, OUTCOMES } from './facts.js';
import type { ProducerEvent } from './producer-observer.interface.js';
import type { OfDelivery, OfEnd, OfFinalEnd } from './task-event.interface.js';
import type { SettledEvent, WorkerEvent } from './worker-observer.interface.js';

/** What Redis may answer to a settlement: it was taken, or it was not and this is what happened instead. */
const REPLIES = {
  done: undefined,
  already: undefined,
  cancelled: undefined,
  fenced: 'lease-lost',
  gone: 'refused',
  deleted: 'refused',
  'follow-up-refused': 'refused',
  refused: 'refused',
} as const satisfies Record<SettleReply['kind'], FactName | undefined>;

type Sent<K> = Extract<ProducerEvent, { kind: K }>;
type Told<K> = Extract<WorkerEvent, { kind: K }>;
type Settled<K extends TaskOutcome['kind']> = SettledEvent<Extract<TaskOutcome, { kind: K }>>;

/** What an event is called. Nothing is made for it. */
export function factName(event: WatchedEvent): FactName {
  if (event.kind !== 'settled') return event.kind;
  return REPLIES[event.reply.kind] ?? OUTCOMES[event.outcome.kind].name;
}

/** What an event says. */
export function factOf(event: WatchedEvent, name: FactName = factName(event)): Fact {
  const read = READERS[name as keyof typeof READERS] as ((event: WatchedEvent) => Fact['fields']) | undefined;
  const fields = (read ?? asItIs)(event);
  return {
    name,
    level: levelOf(name, fields as never),
    fields,
    delivery: 'delivery' in event ? event.delivery : undefined,
    outcome: 'outcome' in event ? event.outcome : undefined,
  } as Fact;
}

/** A fact that no worker and no sender tells. */
export function factBy<K extends FactName>(name: K, fields: Facts[K]): FactOf<K> {
  return { name, level: levelOf(name, fields), fields, delivery: undefined, outcome: undefined };
}

/** How an event is read. One without a reader says what it holds. */
const READERS = {
  enqueued: ({ queue, item, isDuplicate, isContract }: Sent<'enqueued'>) => ({
    ...{ queue, task: item.name, taskId: item.id, isDuplicate, isContract },
    payloadBytes: Buffer.byteLength(item.body),
  }),
  'enqueue-failed': ({ queue = '', name, taskId = '', failure, error, isContract }: Sent<'enqueue-failed'>) => ({
    ...{ queue, task: name, taskId, failure, isContract },
    error: describeError(error),
  }),
  redriven: ({ queue, name, taskId, entryId, isMended }: Sent<'redriven'>) => ({
    ...{ queue, task: name, taskId, entryId, isMended },
  }),
  started: ({ delivery }: Told<'started'>) => ({
    ...of(delivery),
    // An entry is made when its task can be run: at once, or when a delayed task is due. Its id begins with that time.
    waitMs: Math.max(delivery.claimedAt - Number.parseInt(delivery.entryId, 10), 0),
  }),
  completed: (event: Settled<'complete'>) => ({ ...finalEnd(event), isReplay: event.outcome.replayed }),
  retrying: (event: Settled<'retry'>) => {
    const { meta, delayMs: nextDelayMs, error } = event.outcome;
    return { ...endOf(event), attempt: meta.failedAttempts, nextDelayMs, error };
  },
  deferred: (event: Settled<'defer'>) => {
    const { delayMs: nextDelayMs, why: reason, isBusy = false, expected: isExpected = false } = event.outcome;
    return { ...endOf(event), nextDelayMs, reason, isBusy, isExpected };
  },
  dead: (event: Settled<'dead-letter'>) => {
    const { info, expected: isExpected = false } = event.outcome;
    return { ...finalEnd(event), attempt: info.failedAttempts, reason: info.reason, error: info.error, isExpected };
  },
  expired: (event: Settled<'expired'>) => {
    const { failedAttempts, error } = event.outcome;
    return { ...finalEnd(event), attempt: Math.max(failedAttempts, 1), error };
  },
  cancelled: (event: Settled<'cancel'>) => {
    const { reason, by } = event.outcome.request;
    return { ...finalEnd(event), reason, by };
  },
  released: (event: Settled<'release'>) => endOf(event),
  refused: (event: SettledEvent) => {
    const { outcome, reply } = event;
    return {
      ...endOf(event),
      outcome: OUTCOMES[outcome.kind].name,
      reply: 'reply' in reply ? reply.reply : reply.kind,
    };
  },
  'lease-lost': (event: SettledEvent | Told<'lease-lost'>) => ({
    ...of(event.delivery),
    outcome: 'outcome' in event ? OUTCOMES[event.outcome.kind].name : undefined,
  }),
  'redis-error': ({ queue, operation, error }: Told<'redis-error'>) => ({
    queue,
    operation,
    error: describeError(error),
  }),
} satisfies { readonly [K in FactName]?: (event: never) => Facts[K] };

function asItIs(event: WatchedEvent): Fact['fields'] {
  const { kind: _kind, ...fields } = event;
  if (!('delivery' in fields)) return fields as Fact['fields'];
  const { delivery, ...rest } = fields;
  return { ...of(delivery), ...rest } as Fact['fields'];
}

function of({ queue, name, taskId, entryId, failedAttempts, deliveryCount }: Delivery): OfDelivery {
  return { queue, task: name, taskId, entryId, attempt: failedAttempts + 1, deliveryCount };
}

// Written out: each spread of an object costs a busy worker, with metrics, as much as a counter.
function endOf({ delivery, outcome, durationMs }: SettledEvent): OfEnd {
  const { queue, name: task, taskId, entryId, failedAttempts, deliveryCount } = delivery;
  const hasRun = wasRun(delivery, outcome, durationMs);
  return { queue, task, taskId, entryId, attempt: failedAttempts + 1, deliveryCount, durationMs, hasRun };
}

function finalEnd({ delivery, outcome, durationMs }: SettledEvent): OfFinalEnd {
  const { queue, name: task, taskId, entryId, failedAttempts, deliveryCount, enqueuedAt, claimedAt } = delivery;
  const hasRun = wasRun(delivery, outcome, durationMs);
  const ageMs = Math.max(claimedAt - enqueuedAt, 0) + durationMs;
  return { queue, task, taskId, entryId, attempt: failedAttempts + 1, deliveryCount, durationMs, hasRun, ageMs };
}

/** A task that is given up before its handler runs (nobody knows it, it cannot be read) has made no attempt. */
function wasRun(delivery: Delivery, outcome: TaskOutcome, durationMs: number): boolean {
  const failed = 'info' in outcome ? outcome.info.failedAttempts : undefined;
  const counted = 'failedAttempts' in outcome ? outcome.failedAttempts : failed;
  return counted === undefined ? durationMs > 0 : counted > delivery.failedAttempts;
}

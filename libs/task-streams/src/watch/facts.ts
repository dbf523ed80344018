import type { TaskChangeKind } from '../contracts/task-store.interface.js';
import { cureOf } from '../policy/redis-error.js';
import { withoutFullStop } from '../task/sentence.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import type { FactName, FactOf, Facts, LogLevel } from './fact.interface.js';
import type { TaskEventKind } from './task-event.interface.js';

/** How a fact is told. What it says stands in {@link Facts}. */
interface Row<K extends FactName> {
  /** How loud the log is. Default `debug`. */
  readonly level?: LogLevel | ((fields: Facts[K]) => LogLevel);
  /** The sentence of the log, behind the task or the queue it is about. Without one the log does not tell it. */
  readonly say?: (fields: Facts[K]) => string;
  /** Comes with every task that goes well: a line only with `logSuccess`. */
  readonly isUsual?: true;
  /** A sender tells it, not a worker. */
  readonly isOfSender?: true;
  /** Whether `@OnTaskEvent` hears it, in this process. */
  readonly event: K extends TaskEventKind ? true : false;
  /** Whether those who follow the queue hear it, in any process. */
  readonly change: K extends TaskChangeKind ? true : false;
  /** Trouble that begins or ends: of the same kind one line until it ends. */
  readonly episode?: 'begins' | 'ends';
  /** What it shows about the connection to Redis. */
  readonly redis?: 'answers' | 'fails';
  /** `@OnTaskEvent` hears the dead letter with it. */
  readonly hasLetter?: true;
}

const SAID_BY_SENDER = { isOfSender: true, event: true, change: false } as const;
/** What became of a delivery: Redis answered, and those who follow the queue hear it. */
const ENDED = { event: true, change: true, redis: 'answers' } as const;
const TOLD = { event: true, change: false } as const;
/** Written down by the store that does it, for those who follow the queue. */
const BY_HAND = { event: false, change: true } as const;

/**
 * What can happen to tasks, and how it is told: one row each. Log, `@OnTaskEvent`, changes, metrics and spans have these
 * names and no others.
 */
export const FACTS = {
  enqueued: {
    ...SAID_BY_SENDER,
    change: true,
    isUsual: true,
    say: ({ isDuplicate }) => (isDuplicate ? 'was known already' : 'was enqueued'),
  },
  // A failure is the sender's to log: it gets the error.
  'enqueue-failed': SAID_BY_SENDER,
  'enqueue-ended': { isOfSender: true, event: false, change: false },
  redriven: {
    ...SAID_BY_SENDER,
    level: 'log',
    say: ({ isMended }) => `was redriven${isMended ? ' with another payload' : ''}`,
  },
  started: { ...ENDED, isUsual: true, say: () => 'started' },
  completed: {
    ...ENDED,
    isUsual: true,
    say: ({ isReplay }) => (isReplay ? 'completed: its work was done, or under way, already' : 'completed'),
  },
  retrying: {
    ...ENDED,
    level: 'warn',
    say: ({ nextDelayMs, error }) => `failed, next attempt in ${nextDelayMs} ms: ${error.message}`,
  },
  deferred: { ...ENDED, say: ({ nextDelayMs, reason }) => `was deferred, next try in ${nextDelayMs} ms: ${reason}` },
  dead: {
    ...ENDED,
    hasLetter: true,
    // What the options expect is not what somebody is woken for.
    level: ({ isExpected }) => (isExpected ? 'log' : 'error'),
    say: ({ reason, error }) => `is a dead letter (${reason}): ${error?.message ?? ''}`,
  },
  expired: { ...ENDED, level: 'log', say: ({ error }) => `was dropped: ${error.message}` },
  cancelled: { ...ENDED, level: 'log', say: () => 'was cancelled while it ran' },
  released: { ...ENDED, say: () => 'was released' },
  refused: {
    ...TOLD,
    redis: 'answers',
    level: 'warn',
    say: ({ outcome, reply }) => `is not ${outcome}: the settlement was refused (${reply})`,
  },
  reclaimed: {
    ...TOLD,
    redis: 'answers',
    // A worker that stops releases its tasks without counting the delivery; one that died is worth a line.
    level: ({ deliveryCount }) => (deliveryCount > 1 ? 'warn' : 'debug'),
    say: ({ deliveryCount, previousOwner }) =>
      deliveryCount > 1
        ? `was reclaimed: the lease of ${previousOwner === undefined ? 'its worker' : `worker ${previousOwner}`} expired`
        : 'was reclaimed from a worker that stopped',
  },
  'lease-lost': {
    ...TOLD,
    redis: 'answers',
    level: 'warn',
    say: ({ outcome }) =>
      outcome === undefined
        ? 'lost its lease: another worker runs it'
        : `is not ${outcome} here: its lease was lost, another worker owns it`,
  },
  'lease-late': {
    ...TOLD,
    level: 'warn',
    say: ({ heldCount, sinceMs, leaseMs, why }) =>
      `the leases of ${heldCount} tasks were not renewed for ${sinceMs} of ${leaseMs} ms: ` +
      `${why === 'redis' ? 'Redis does not answer in time' : 'the event loop was blocked, or the process paused'}. ` +
      'Nothing new starts; when a lease is over, another worker runs its task again.',
  },
  abandoned: { ...TOLD, level: 'warn', say: () => 'goes on after its timeout' },
  stuck: {
    ...TOLD,
    level: 'error',
    say: ({ abandonedMs }) =>
      `has ignored its abort signal for ${abandonedMs} ms and cannot be ended from outside; make its handler stop when ` +
      'ctx.signal aborts',
  },
  suspect: {
    ...TOLD,
    level: 'warn',
    say: ({ now }) => `${SUSPECT[now]}: its process died with it so often that it may be the cause`,
  },
  'payload-deleted': {
    ...TOLD,
    level: 'error',
    say: ({ count }) => `${count} pending tasks were deleted from Redis by somebody`,
  },
  'dead-letters-dropped': { ...TOLD, level: 'warn', say: ({ count }) => `retention dropped ${count} dead letters` },
  'dead-letters-redriven': {
    event: false,
    change: false,
    level: 'log',
    say: ({ count, by, refusedCount, failedCount }) => {
      const left = refusedCount + failedCount;
      return `${count} dead letters were redriven by ${by}${left === 0 ? '' : `; ${left} stay where they are`}`;
    },
  },
  'redis-error': {
    ...TOLD,
    redis: 'fails',
    episode: 'begins',
    level: 'error',
    say: ({ operation, error: { message } }) => {
      const cure = cureOf(message);
      const todo = cure === undefined ? '' : `${cure}. `;
      return `${operation} fails: ${withoutFullStop(message)}. ${todo}It is tried again until it works.`;
    },
  },
  'redis-recovered': {
    ...TOLD,
    redis: 'answers',
    episode: 'ends',
    level: 'log',
    say: ({ operation }) => `${operation} works again`,
  },
  'stalled-loop': TOLD,
  progress: BY_HAND,
  'cancel-requested': BY_HAND,
  rescheduled: BY_HAND,
  promoted: BY_HAND,
} as const satisfies { readonly [K in FactName]: Row<K> };

const SUSPECT = { held: 'waits for its turn', alone: 'starts alone in this process', beside: 'starts beside others' };

/** What an outcome makes of the task, what its settlement is called in a span, and whether the attempt failed. */
export const OUTCOMES = {
  complete: { name: 'completed', settling: 'ack', isFailure: false },
  retry: { name: 'retrying', settling: 'retry', isFailure: true },
  defer: { name: 'deferred', settling: 'defer', isFailure: false },
  'dead-letter': { name: 'dead', settling: 'dead_letter', isFailure: true },
  expired: { name: 'expired', settling: 'expire', isFailure: true },
  cancel: { name: 'cancelled', settling: 'cancel', isFailure: false },
  release: { name: 'released', settling: 'release', isFailure: false },
  lost: { name: 'lease-lost', settling: 'release', isFailure: false },
} as const satisfies Record<
  TaskOutcome['kind'],
  { readonly name: FactName; readonly settling: string; readonly isFailure: boolean }
>;

/** Every name, in the order of the table. */
export const FACT_NAMES = Object.keys(FACTS) as readonly FactName[];
/** What a settlement can come to. */
export const END_NAMES: ReadonlySet<FactName> = new Set([
  ...Object.values(OUTCOMES).map(({ name }) => name),
  'refused',
]);
/** What `@OnTaskEvent` can hear. */
export const TASK_EVENT_KINDS = FACT_NAMES.filter((name): name is TaskEventKind => FACTS[name].event);

/** The row of a fact. */
export function rowOf<K extends FactName>(name: K): Row<K> {
  return FACTS[name] as Row<K>;
}

/** How loud a fact is. */
export function levelOf<K extends FactName>(name: K, fields: FactOf<K>['fields']): LogLevel {
  const { level = 'debug' } = rowOf(name);
  return typeof level === 'function' ? level(fields) : level;
}

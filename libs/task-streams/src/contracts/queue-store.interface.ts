import type { TaskState } from '../task/task-state.js';
import type { WhoAndWhy } from '../task/who-and-why.js';

/** Where tasks lie that nobody runs. */
export type DrainablePlace = 'waiting' | 'delayed' | 'dead';

/** What lay in a queue when it began to be emptied. */
export interface DrainBounds {
  readonly waiting: string;
  readonly dead: string;
  /** What tells tasks that were delayed by then from later ones; empty where those are left alone. */
  readonly mark: string;
}

/** One step of emptying a queue. */
export interface DrainStep {
  readonly place: DrainablePlace;
  readonly bounds: DrainBounds;
  /** What the step before answered; `undefined` for the first. */
  readonly cursor: string | undefined;
  /** Milliseconds the records of the removed tasks are kept as cancelled; 0 keeps none. */
  readonly recordMs: number;
  readonly by: string | undefined;
  readonly reason: string | undefined;
}

export interface DrainReply {
  readonly removedCount: number;
  /** Where the next step begins; `undefined` at the end of the place. */
  readonly cursor: string | undefined;
  /** What kept a task from being removed; the others were. */
  readonly error: string | undefined;
}

/**
 * What became of a key that is to be forgotten.
 *
 * - `forgotten`: its work was done; the next task with the key runs.
 * - `busy`: a task with the key runs. Nothing was changed.
 * - `unknown`: no such key is kept, or no longer.
 *
 * @publicApi
 */
export interface ForgetKeyReply {
  readonly kind: 'forgotten' | 'busy' | 'unknown';
}

/**
 * What became of a task id that is to be forgotten.
 *
 * - `forgotten`: the task had ended; a new task can have the id.
 * - `busy`: the task waits or runs, or its dead letter is there. Nothing was changed.
 * - `unknown`: no such task is remembered, or no longer.
 *
 * @publicApi
 */
export interface ForgetIdReply {
  readonly kind: 'forgotten' | 'busy' | 'unknown';
  /** What the task was; `undefined` where it is unknown. */
  readonly state: TaskState | undefined;
}

/**
 * One worker of a queue, as Redis knows it.
 *
 * @publicApi
 */
export interface WorkerInfo {
  /** Its name in the group and in attempt histories. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** What tells it from others on the same host with the same process id. */
  readonly nonce: string;
  /** Deliveries that it holds. */
  readonly pendingCount: number;
  /** Milliseconds since its last sign of life: it read or claimed tasks, or renewed its leases. */
  readonly idleMs: number;
  /** Whether that is not longer ago than its lease; 30 seconds for one that has said nothing of itself. */
  readonly isLive: boolean;
  /** What it said last of itself, with the renewal of its leases; `undefined` before it did so first. */
  readonly heartbeat: WorkerHeartbeat | undefined;
}

/**
 * What a worker says of itself, a third of the lease apart.
 *
 * @publicApi
 */
export interface WorkerHeartbeat {
  /** When, by the clock of Redis. */
  readonly at: Date;
  /** The version of this library. */
  readonly version: string;
  /** Tasks it runs at this moment, and at the most. */
  readonly runningCount: number;
  readonly concurrency: number;
  /** Milliseconds of its lease. */
  readonly leaseMs: number;
  /** When its process began to use Redis, by its own clock. */
  readonly startedAt: Date;
}

/** How much is in a queue, and how it is served. Bounded reads only. */
export interface QueueReport {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly dead: number;
  /** Milliseconds the oldest waiting task has waited, 0 where none waits. */
  readonly oldestWaitingMs: number;
  /** Who paused it, when and why; absent where nobody did. */
  readonly paused?: WhoAndWhy;
  /** Workers that were heard of within their lease, and those that were not. */
  readonly liveConsumers: number;
  readonly staleConsumers: number;
  /** The lag of the group as the server counts it; `undefined` where it cannot (entries were deleted out of order). */
  readonly lag: number | undefined;
  /** Milliseconds since anybody gave a sign of life for the oldest entry that is handed out; `undefined` where none is. */
  readonly oldestPendingIdleMs: number | undefined;
  /** Milliseconds since the oldest dead letter was set aside; `undefined` where there is none. */
  readonly oldestDeadMs: number | undefined;
  /** Consumer groups of the task stream beside the one of the workers: they lose every task that is settled. */
  readonly foreignGroups: number;
}

/** What somebody is about to do to a queue, or has done. */
export interface AuditAction {
  /** What is done, such as `redrive`, `discard`, `cancel`. */
  readonly action: string;
  /** Who does it. */
  readonly actor: string;
  /** Why; empty where nobody said. */
  readonly reason: string;
  /** To what: the filter or the ids. Becomes JSON, cut at 2000 characters. */
  readonly scope: unknown;
  /** What the steps of one action have in common: a text of its own. */
  readonly operation: string;
}

/**
 * One action of somebody on a queue. An action of many steps has one record, with the counts so far.
 *
 * @publicApi
 */
export interface AuditRecord {
  /** Its place in the log. */
  readonly id: string;
  readonly queue: string;
  /** When it was written, or last changed, in milliseconds since 1970 by the clock of Redis. */
  readonly at: number;
  readonly action: string;
  readonly actor: string;
  readonly reason: string;
  /** The filter or the ids; text where it was cut. */
  readonly scope: unknown;
  readonly operation: string;
  /** How many tasks came to what, such as `{ moved: 3, live: 1 }`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** @publicApi */
export interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** Give it to the next call to go on; `undefined` at the end. */
  readonly cursor: string | undefined;
}

/** Whole queues: which there are, who works on them, how full they are, and what was done to them by hand. */
export interface QueueStore {
  /** Nothing is handed out from now on. Answers false where it was paused already; the first pause stands. */
  pause(queue: string, who: Omit<WhoAndWhy, 'at'>): Promise<boolean>;
  /** Answers false where it was not paused. */
  resume(queue: string): Promise<boolean>;
  /** Who paused a queue, when and why; `undefined` where nobody did. */
  getPause(queue: string): Promise<WhoAndWhy | undefined>;
  /** Notes what is there now, of delayed tasks too where it is told to. */
  beginDrain(queue: string, isWithDelayed: boolean): Promise<DrainBounds>;
  /** Removes some of the tasks that nobody runs, and were there when it began. */
  drainStep(queue: string, step: DrainStep): Promise<DrainReply>;
  /** Answers how many delayed tasks became due meanwhile and were cancelled for that. */
  endDrain(queue: string, bounds: DrainBounds): Promise<number>;
  /** Removes the record of a task that has ended, and has no dead letter. */
  forgetId(queue: string, id: string): Promise<ForgetIdReply>;
  /** Removes the done mark of an idempotency key; one that is held by a running task stays. */
  forgetKey(queue: string, taskName: string, key: string): Promise<ForgetKeyReply>;
  /** The names of queues that were used lately, newest first. */
  list(max: number): Promise<string[]>;
  /** The workers of a queue, up to so many. */
  listWorkers(queue: string, max: number): Promise<WorkerInfo[]>;
  /**
   * Whether the completion of a task of `queue` can add a task to `next` in one step. False only on a Cluster, for queues of
   * different slots.
   */
  canFollow(queue: string, next: string): boolean;
  inspect(queue: string): Promise<QueueReport>;
  /**
   * Writes an action down; answers the id of its record. For actions whose script does not write it itself.
   *
   * @param earlierId The record of the same action that this one takes the place of.
   */
  recordAction(
    queue: string,
    action: AuditAction,
    counts: Readonly<Record<string, number>>,
    earlierId?: string,
  ): Promise<string>;
  /** Newest first. */
  listActions(queue: string, max: number, cursor: string | undefined): Promise<AuditPage>;
}

import type { DeadLetter, DeadLetterReason } from '../task/dead-letter.js';
import type { ErrorDescription } from '../task/error-description.js';
import type { LateCause } from '../task/worker-errors.js';
import type { EnqueueFailure } from './producer-observer.interface.js';

/** The task an event is about. */
export interface OfTask {
  readonly queue: string;
  /** The name of the task; empty where its entry has none. */
  readonly task: string;
  /** Empty where its entry has none. */
  readonly taskId: string;
}

/** One delivery of it to this process. */
export interface OfDelivery extends OfTask {
  readonly entryId: string;
  /** Which attempt it is, or which one failed; 1 for the first. */
  readonly attempt: number;
  /** How often the entry was delivered to a worker. */
  readonly deliveryCount: number;
}

/** A delivery that came to its end here. */
export interface OfEnd extends OfDelivery {
  /** How long the attempt took, without its settlement; 0 for one that never started. */
  readonly durationMs: number;
  /** False where no attempt was made: the task was given up or released before its handler was called. */
  readonly hasRun: boolean;
}

/** The end of a task. */
export interface OfFinalEnd extends OfEnd {
  /** From its enqueue until now. */
  readonly ageMs: number;
}

/** @publicApi */
export interface TaskEvents {
  /** A sender of this process has put a task into a queue. Follow-ups of a handler are not told of here. */
  readonly enqueued: OfTask & {
    /** True where its id was known already and nothing was added. */
    readonly isDuplicate: boolean;
    /** True where it was sent by its contract: its name is one of a closed list. */
    readonly isContract: boolean;
    readonly payloadBytes: number;
  };
  /** A sender of this process could not, or does not know. `queue` and `taskId` are empty where they were not known yet. */
  readonly 'enqueue-failed': OfTask & {
    readonly failure: EnqueueFailure;
    readonly error: ErrorDescription;
    readonly isContract: boolean;
  };
  /** A dead letter was sent back to its queue; `isMended`: with another payload. */
  readonly redriven: OfTask & { readonly entryId: string; readonly isMended: boolean };
  /** `waitMs` from the moment it could be run. */
  readonly started: OfDelivery & { readonly waitMs: number };
  /** `isReplay`: the handler did not run, because its work was done, or under way, under the same key. */
  readonly completed: OfFinalEnd & { readonly isReplay: boolean };
  /** The attempt failed and another one follows. */
  readonly retrying: OfEnd & { readonly nextDelayMs: number; readonly error: ErrorDescription };
  /** Offered again later, without counting an attempt. */
  readonly deferred: OfEnd & {
    readonly nextDelayMs: number;
    readonly reason: string;
    /** True while another task with its idempotency key ran. */
    readonly isBusy: boolean;
    /** True where the attempt ended in an error that the options call no failure. */
    readonly isExpected: boolean;
  };
  /** Given up. */
  readonly dead: OfFinalEnd & {
    readonly reason: DeadLetterReason;
    readonly error: ErrorDescription | undefined;
    /** True where the options call the error no failure. */
    readonly isExpected: boolean;
    /** The dead letter itself, with the payload of the task: think twice before it goes into a log. */
    readonly letter: DeadLetter;
  };
  /** Somebody asked for its end while it ran, and it did not complete. */
  readonly cancelled: OfFinalEnd & { readonly reason: string | undefined; readonly by: string | undefined };
  /** Dropped, because its time is over. */
  readonly expired: OfFinalEnd & { readonly error: ErrorDescription };
  /** Given back by this worker, which stops. */
  readonly released: OfEnd;
  /** Redis did not take what the delivery came to: the entry is in nobody's hands, was deleted, or Redis answered an error. */
  readonly refused: OfEnd & {
    /** What it would have been. */
    readonly outcome: string;
    /** What Redis answered. */
    readonly reply: string;
  };
  /** Reclaimed from a worker whose lease expired: `previousOwner` is its name. One that released it is not named. */
  readonly reclaimed: OfDelivery & { readonly previousOwner: string | undefined };
  /** Another worker owns it now: what this one returns is refused. `outcome`: what it would have been, where it is known. */
  readonly 'lease-lost': OfDelivery & { readonly outcome: string | undefined };
  /**
   * Leases of this process were not renewed in time, because the event loop was blocked (or the process paused) or Redis did
   * not answer: tasks may soon run a second time elsewhere. Told once, until renewing works again.
   */
  readonly 'lease-late': {
    readonly queue: string;
    /** Milliseconds since the oldest lease was renewed last. */
    readonly sinceMs: number;
    readonly leaseMs: number;
    readonly heldCount: number;
    readonly why: LateCause;
  };
  /** Its handler went on after its timeout, or after the worker gave it up. */
  readonly abandoned: OfDelivery;
  /** An abandoned handler has ignored its abort signal for so long. Told once for each. */
  readonly stuck: OfDelivery & { readonly abandonedMs: number };
  /**
   * A task at its last permitted delivery waits for its turn to start, or starts: alone in this process, or beside others.
   * If the process dies now, it may be what killed it.
   */
  readonly suspect: OfDelivery & { readonly now: 'held' | 'alone' | 'beside' };
  /** Somebody deleted entries that were delivered. */
  readonly 'payload-deleted': { readonly queue: string; readonly count: number };
  /** Dead letters were dropped by retention: they were too old, or too many. */
  readonly 'dead-letters-dropped': { readonly queue: string; readonly count: number };
  readonly 'redis-error': { readonly queue: string; readonly operation: string; readonly error: ErrorDescription };
  readonly 'redis-recovered': { readonly queue: string; readonly operation: string };
  /** The event loop of this process stood still: no lease was renewed meanwhile. */
  readonly 'stalled-loop': { readonly stalledMs: number };
}

/** @publicApi */
export type TaskEventKind = keyof TaskEvents;

/**
 * What happened to a task in this process. Discriminated by `kind`.
 *
 * @publicApi
 */
export type TaskEvent = { readonly [K in TaskEventKind]: { readonly kind: K } & TaskEvents[K] }[TaskEventKind];

/**
 * The event of one kind.
 *
 * @publicApi
 */
export type TaskEventOf<K extends TaskEventKind> = Extract<TaskEvent, { kind: K }>;

import type { DeadLetter, DeadLetterReason } from '../task/dead-letter.js';
import type { ErrorDescription } from '../task/error-description.js';
import type { LateCause } from '../task/worker-errors.js';
import type { EnqueueFailure } from './producer-observer.interface.js';

/** The task an event is about. */
interface OfTask {
  readonly queue: string;
  /** The name of the task; empty where its entry has none. */
  readonly task: string;
  /** Empty where its entry has none. */
  readonly taskId: string;
}

/** One hand-out of it to this process. */
interface OfDelivery extends OfTask {
  readonly entryId: string;
  /** Which attempt it is, 1 for the first. */
  readonly attempt: number;
  /** How often the entry was handed to a worker. */
  readonly deliveryCount: number;
}

/** @publicApi */
export interface TaskEvents {
  /** A sender of this process has put a task into a queue. Follow-ups of a handler are not told of here. */
  readonly enqueued: OfTask & { readonly isDuplicate: boolean };
  /** A sender of this process could not, or does not know. */
  readonly 'enqueue-failed': OfTask & { readonly failure: EnqueueFailure; readonly error: ErrorDescription };
  readonly redriven: OfTask & { readonly isMended: boolean };
  /** `waitMs` from the moment it could be run. */
  readonly started: OfDelivery & { readonly waitMs: number };
  readonly completed: OfDelivery & { readonly durationMs: number; readonly isReplay: boolean };
  /** The attempt failed and another one follows. */
  readonly retried: OfDelivery & {
    readonly durationMs: number;
    readonly nextDelayMs: number;
    readonly error: ErrorDescription;
  };
  /** Put off without counting an attempt. */
  readonly deferred: OfDelivery & { readonly nextDelayMs: number; readonly why: string };
  readonly 'dead-lettered': OfDelivery & {
    readonly durationMs: number;
    readonly reason: DeadLetterReason;
    readonly error: ErrorDescription | undefined;
    /** The dead letter itself, with the payload of the task: think twice before it goes into a log. */
    readonly letter: DeadLetter;
  };
  /** Somebody asked for its end while it ran, and it did not complete. */
  readonly cancelled: OfDelivery & {
    readonly durationMs: number;
    readonly reason: string | undefined;
    readonly by: string | undefined;
  };
  /** Dropped, because its time is over. */
  readonly expired: OfDelivery & { readonly error: ErrorDescription };
  /** Handed back by this worker, which stops. */
  readonly released: OfDelivery;
  /** Taken over from a worker whose lease lapsed: `previousOwner` is its name. One that handed it back is not named. */
  readonly reclaimed: OfDelivery & { readonly previousOwner: string | undefined };
  /** Another worker owns it now: what this one returns is refused. */
  readonly 'lease-lost': OfDelivery;
  /** Leases of this process were not renewed in time: tasks may soon run a second time elsewhere. */
  readonly 'lease-late': {
    readonly queue: string;
    readonly sinceMs: number;
    readonly leaseMs: number;
    readonly heldCount: number;
    readonly why: LateCause;
  };
  /** Its handler went on after its timeout, or after the worker gave it up. */
  readonly abandoned: OfDelivery;
  /** An abandoned handler ignores its abort signal. */
  readonly stuck: OfDelivery & { readonly abandonedMs: number };
  /** Somebody deleted entries that were handed out. */
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

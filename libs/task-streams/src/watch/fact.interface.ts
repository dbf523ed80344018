import type { TaskChangeKind } from '../contracts/task-store.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import type { ProducerEvent } from './producer-observer.interface.js';
import type { OfTask, TaskEventKind, TaskEvents } from './task-event.interface.js';
import type { WorkerEvent } from './worker-observer.interface.js';

/** What somebody asked for by hand: only those who follow a queue are told. */
type OnlyChanges = { readonly [K in Exclude<TaskChangeKind, TaskEventKind>]: OfTask };

/** What can happen, and what each says: the one vocabulary of log, events, changes, metrics and spans. */
export interface Facts extends Omit<TaskEvents, 'dead'>, OnlyChanges {
  readonly dead: Omit<TaskEvents['dead'], 'letter'>;
  /** A call of a sender to Redis ended, well or not; only metrics are told. */
  readonly 'enqueue-ended': { readonly queue: string; readonly durationMs: number };
  /** A redrive of many ended; only the log is told. */
  readonly 'dead-letters-redriven': {
    readonly queue: string;
    readonly by: string;
    readonly count: number;
    /** Left where they are, because it would do harm. */
    readonly refusedCount: number;
    /** Left where they are, because of an error. */
    readonly failedCount: number;
  };
}

export type FactName = keyof Facts;

/** How loud the log says it. */
export type LogLevel = 'debug' | 'log' | 'warn' | 'error';

/** One thing that happened. */
export interface FactOf<K extends FactName> {
  readonly name: K;
  readonly level: LogLevel;
  readonly fields: Facts[K];
  /** The delivery it is about, where there is one: traces are found by it. */
  readonly delivery: Delivery | undefined;
  /** What the delivery came to, of a settlement; with follow-ups and dead letters. */
  readonly outcome: TaskOutcome | undefined;
}

/** Discriminated by `name`. */
export type Fact = { readonly [K in FactName]: FactOf<K> }[FactName];

/** What workers and senders tell. */
export type WatchedEvent = WorkerEvent | ProducerEvent | { readonly kind: 'stalled-loop'; readonly stalledMs: number };

/** Hears facts. A fact is made only where somebody hears its name. */
export interface FactListener {
  /** Asked once for each name, when it begins to listen. */
  hears(name: FactName): boolean;
  /** Asked for each event of a name that is heard, before a fact is made of it. Default: every one. */
  wants?(name: FactName, event: WatchedEvent): boolean;
  /** Must not throw; a listener that does is ignored. */
  tell(fact: Fact): void;
}

/** Where to listen to what happens in this process. */
export interface FactSource {
  listen(listener: FactListener): void;
}

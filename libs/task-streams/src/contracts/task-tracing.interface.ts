import type { TaskHeaders } from '../task/envelope.js';
import type { FollowUp, TaskOutcome } from '../task/task-outcome.js';
import type { Delivery } from './work-store.interface.js';

/** A task on its way to a queue. */
export type SentTask = FollowUp;

/** A task that a worker has taken. */
export interface ProcessedTask {
  readonly delivery: Delivery;
  readonly name: string;
  readonly taskId: string;
  readonly headers: TaskHeaders;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** What an execution came to, and the error it came from. */
export interface ProcessedEnd {
  readonly outcome: TaskOutcome;
  /** As it was thrown; `undefined` where nothing was. */
  readonly error: unknown;
}

/** A dead letter on its way back to its queue. */
export interface RedrivenTask {
  readonly queue: string;
  readonly name: string;
  readonly taskId: string;
  readonly headers: TaskHeaders;
}

/** Which trace something belongs to. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * Follows tasks through a tracing system. `nestjs-task-streams/otel` has one for OpenTelemetry; without one nothing of
 * this is called. It must run what it is given, within a second. It cannot change a task: where it throws, hangs or answers
 * something else, what it was given is run once all the same, and the log says so once a minute.
 *
 * @publicApi
 */
export interface TaskTracing {
  /** Around the enqueue of one task; `append` takes the headers that carry the trace. */
  send<T>(task: SentTask, append: (headers: TaskHeaders) => Promise<T>): Promise<T>;
  /** Around the enqueue of a list; headers for each, in order. */
  sendMany<T>(tasks: readonly SentTask[], append: (headers: readonly TaskHeaders[]) => Promise<T>): Promise<T>;
  /** A follow-up was prepared inside a handler; the answer is the headers that carry the trace. */
  create(task: SentTask): TaskHeaders;
  /** Around the whole pipeline of one attempt. What runs inside belongs to it. */
  process(task: ProcessedTask, run: () => Promise<ProcessedEnd>): Promise<ProcessedEnd>;
  /** The attempt was given up; its handler may go on, for ever. */
  giveUp(delivery: Delivery, end: ProcessedEnd): void;
  /** Around a redrive. */
  redrive<T>(task: RedrivenTask, send: () => Promise<T>): Promise<T>;
  /** Around one batch of a redrive of many; at least one, all of one queue. */
  redriveMany<T>(tasks: readonly RedrivenTask[], send: () => Promise<T>): Promise<T>;
  /** The trace of an attempt of this process, for log lines. */
  traceOf(delivery: Delivery): TraceIds | undefined;
}

/** The {@link TaskTracing}; nothing is bound to it unless you do. */
export const TASK_TRACING = Symbol.for('nestjs-task-streams:tracing');

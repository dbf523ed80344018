import type { BackoffCurve } from './backoff.js';

/** The version of the wire format that this build writes; see docs/wire-format.md. */
export const WIRE_VERSION = '2';

/**
 * Extra data that travels beside the payload: correlation, tenant, trace. Strings only.
 *
 * @publicApi
 */
export type TaskHeaders = Readonly<Record<string, string>>;

/**
 * What can be said about one task where it is enqueued, by a sender or by the handler of another task. All of it is optional.
 *
 * @publicApi
 */
export interface TaskOptions {
  /** The queue. Default: the queue of the contract, of the client, or of the handler of that name; else `default`. */
  readonly queue?: string;
  /** Tasks of one name and queue with one key have their effect once. Default: the task id. */
  readonly idempotencyKey?: string;
  /** Text that travels beside the payload: tenant, correlation, trace. Default none. */
  readonly headers?: TaskHeaders;
  /** Milliseconds to wait before the task is run, by the clock of Redis; up to ten years. Not together with `runAt`. */
  readonly delayMs?: number;
  /**
   * When the task is run, as a Date or in milliseconds since 1970; up to ten years ahead. A time that has passed runs it
   * at once. Not together with `delayMs`.
   */
  readonly runAt?: Date | number;
  /** Attempts in all, the first included; 1 to 1000. Default: what the handler says when the task is run. */
  readonly attempts?: number;
  /** How long to wait between attempts. Default: what the handler says when the task is run. */
  readonly backoff?: BackoffCurve | readonly number[];
  /** Milliseconds an attempt may take. Default: what the handler says when the task is run. */
  readonly timeoutMs?: number;
  /**
   * Milliseconds in which the first attempt must begin, counted by the clock of Redis from the end of the delay: a task
   * that is older is not started (`onExpired`). Default: it may wait for ever.
   */
  readonly ttlMs?: number;
  /**
   * Milliseconds in which every attempt must begin, counted as for `ttlMs`: no retry is scheduled past the end of them. An
   * attempt that runs then is not cut off; `ctx.deadline` shows the time. Not together with `deadline`. Default: none.
   */
  readonly deadlineMs?: number;
  /** The same as a time, as a Date or in milliseconds since 1970. Not together with `deadlineMs`. Default: none. */
  readonly deadline?: Date | number;
}

/**
 * What the sender asked for explicitly. Whatever is not here is decided by the handler and the module when the task is
 * consumed, so that a deploy can change it for tasks that wait already.
 */
export interface MessageOptions extends Pick<TaskOptions, 'attempts' | 'backoff' | 'timeoutMs'> {
  readonly expiry?: MessageExpiry;
}

/**
 * How long a task is worth running, as its sender said it: with the delay, because the milliseconds count from the end of
 * that, and the times in milliseconds since 1970.
 */
export interface MessageExpiry extends Pick<TaskOptions, 'ttlMs' | 'deadlineMs' | 'delayMs'> {
  readonly deadline?: number;
  readonly runAt?: number;
}

/** A task as it lies in the stream, without its changing part. Immutable: scripts copy it byte for byte. */
export interface TaskEnvelope {
  readonly id: string;
  readonly name: string;
  /** The key the sender gave, or `undefined` where the task id is the key. */
  readonly idempotencyKey: string | undefined;
  readonly headers: TaskHeaders;
  readonly options: MessageOptions;
  /** The payload as JSON text, exactly as it was sent. */
  readonly body: string;
}

import type { BackoffCurve } from './backoff.js';

/** The version of the wire format that this build writes; see docs/wire-format.md. */
export const WIRE_VERSION = '1';

/**
 * Extra data that travels beside the payload: correlation, tenant, trace. Strings only.
 *
 * @publicApi
 */
export type TaskHeaders = Readonly<Record<string, string>>;

/**
 * What the sender asked for explicitly. Whatever is not here is decided by the handler and the module when the task is
 * consumed, so that a deploy can change it for tasks that wait already.
 */
export interface MessageOptions {
  readonly attempts?: number;
  readonly backoff?: BackoffCurve | readonly number[];
  readonly timeoutMs?: number;
  readonly expiry?: MessageExpiry;
}

/** How long a task is worth running, as its sender said it. The milliseconds count from the end of its delay. */
export interface MessageExpiry {
  /** In which the first attempt must begin. */
  readonly ttlMs?: number;
  /** In which every attempt must begin. */
  readonly deadlineMs?: number;
  /** Before which every attempt must begin, in milliseconds since 1970. */
  readonly deadline?: number;
  /** The delay of the task, where it had one. */
  readonly delayMs?: number;
  /** When it was to be run, in milliseconds since 1970, where it had such a time. */
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

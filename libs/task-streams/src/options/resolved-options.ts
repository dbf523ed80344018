import type { RetryPolicy } from '../policy/retry-policy.js';
import type { ConnectionOptions, QueueOptions, TaskStreamsMode, TimingOptions } from './task-streams-options.js';

/** Every option with its value. Made once, by `resolveOptions`. */
export interface ResolvedOptions {
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  readonly mode: TaskStreamsMode;
  readonly autoStart: boolean;
  readonly onRedisDown: 'wait' | 'fail';
  readonly allowEviction: boolean;
  readonly concurrency: number;
  readonly queues: Readonly<Record<string, QueueOptions>>;
  readonly retry: RetryPolicy & { readonly immediateRetries: number };
  readonly timeoutMs: number | false;
  readonly leaseMs: number;
  readonly crashLimit: number;
  readonly shutdownTimeoutMs: number;
  readonly enqueueTimeoutMs: number;
  readonly timing: Required<TimingOptions>;
  readonly limits: {
    readonly maxPayloadBytes: number;
    readonly maxPayloadDepth: number;
    readonly maxHeaders: number;
  };
  readonly retention: {
    readonly completedMs: number;
    readonly deadLettersMs: number;
    readonly maxDeadLetters: number;
    readonly idempotencyKeysMs: number;
    readonly logsMs: number;
    readonly results: boolean;
    readonly maxResultBytes: number;
  };
  readonly enhancers: 'all' | 'handler';
  readonly validate: boolean;
  readonly logSuccess: boolean;
  readonly asyncContext: boolean;
  /** Lower case, the default ones included. */
  readonly redact: readonly string[];
}

import type { TaskStreamsOptions } from '../../../libs/task-streams/src/index.js';

/** The one queue of nearly every case. */
export const QUEUE = 'q';

/** What the cases speak of. The one place that knows what the library calls it. */
export interface CaseWords {
  /** How long a worker owns a task without a sign of life. */
  readonly lease?: number;
  /** How often tasks without an owner are looked for. */
  readonly sweep?: number;
  readonly taskTimeout?: number | false;
  readonly maxAttempts?: number;
  readonly crashLimit?: number;
  /** The first wait between two attempts; it doubles. */
  readonly backoff?: number;
  readonly backoffCap?: number;
  readonly backoffJitter?: 'equal' | 'full' | 'none';
  readonly concurrency?: number;
  readonly block?: number;
  /** How often delayed tasks are looked for. */
  readonly promote?: number;
  /** How long a worker that is gone and holds nothing is remembered. */
  readonly consumerTtl?: number;
  readonly shutdownTimeout?: number;
  /** How long a task nobody knows is offered again. */
  readonly unknownTaskWindow?: number;
  /** How long a finished task is remembered, and so its id refused. */
  readonly dedupWindow?: number;
  readonly enqueueDeadline?: number;
}

/** Short, so that a lost worker costs a test a second and not half a minute. */
export const USUAL = {
  lease: 1_000,
  sweep: 250,
  taskTimeout: 5_000,
  maxAttempts: 3,
  crashLimit: 3,
  backoff: 50,
  backoffCap: 500,
  backoffJitter: 'equal',
  concurrency: 10,
  block: 500,
  promote: 100,
  consumerTtl: 86_400_000,
  shutdownTimeout: 3_000,
  unknownTaskWindow: 1_500,
  dedupWindow: 60_000,
  enqueueDeadline: 2_000,
} as const satisfies Required<CaseWords>;

/** A task whose worker vanished starts again within its lease and two sweeps, each spread by a fifth; the rest is slack. */
export const RECOVERED_MS = USUAL.lease + 2 * 1.2 * USUAL.sweep + 1_900;

/** The options of the library for the words of a case. */
export function productOptions(url: string, prefix: string, words: CaseWords = {}): TaskStreamsOptions {
  const all = { ...USUAL, ...words };
  return {
    connection: { url },
    prefix,
    concurrency: all.concurrency,
    retry: {
      attempts: all.maxAttempts,
      backoff: {
        type: 'exponential',
        delayMs: all.backoff,
        factor: 2,
        maxDelayMs: all.backoffCap,
        jitter: all.backoffJitter,
      },
    },
    timeoutMs: all.taskTimeout,
    leaseMs: all.lease,
    crashLimit: all.crashLimit,
    shutdownTimeoutMs: all.shutdownTimeout,
    timing: {
      sweepMs: all.sweep,
      promoteMs: all.promote,
      blockMs: all.block,
      consumerTtlMs: all.consumerTtl,
      unknownTaskGraceMs: all.unknownTaskWindow,
    },
    enqueueTimeoutMs: all.enqueueDeadline,
    retention: { completedMs: all.dedupWindow },
  };
}

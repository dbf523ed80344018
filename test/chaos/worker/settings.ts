import type { TaskStreamsOptions } from 'nestjs-task-streams';
import type { NodeAddress } from '../../support/topologies/cluster-connection.js';
import type { ControlName } from '../controls/control-name.js';

/** The queue and the task of every scenario. */
export const QUEUE = 'chaos';
export const TASK = 'chaos.job';
/** The same work under a key that its handler computes. */
export const KEYED_TASK = 'chaos.keyed-job';

/** Where a worker may kill itself, for a share of the tasks at their first delivery. */
export interface KillPlan {
  readonly point: KillPoint;
  readonly share: number;
  readonly seed: number;
}

export type KillPoint = 'before-effect' | 'after-effect' | 'after-mark' | 'after-ack';

/** What the harness tells a worker process, as JSON in `CHAOS_SETTINGS`. */
export interface WorkerSettings {
  readonly ledgerDir: string;
  readonly options: TaskStreamsOptions & { readonly connection?: { readonly url?: string } };
  /** The Cluster it connects to, in place of what its options say. */
  readonly clusterNodes?: readonly NodeAddress[] | undefined;
  /** Where effects are recorded under a key; without it they are only counted. */
  readonly effectsDir?: string | undefined;
  /** Done marks in files instead of in Redis: a store that is asked to commit before the task is settled. */
  readonly marksDir?: string | undefined;
  readonly killAt?: KillPlan | undefined;
  /** The negative control this worker is a part of. */
  readonly control?: ControlName | undefined;
  /** Works on the queues of the mixed runs. */
  readonly isMixed?: boolean;
  /** Every worker calls itself this. */
  readonly sharedName?: string | undefined;
}

/** The queues of the mixed runs, and how many of their tasks run at once in one process. */
export const MIXED_QUEUES = { 'm-fast': 20, 'm-slow': 4, 'm-victim': 5, 'm-drained': 2 } as const;

export type MixedQueue = keyof typeof MIXED_QUEUES;

/** A task that is enqueued by the completion of another. */
export interface FollowUpJob {
  readonly task: string;
  readonly queue: MixedQueue;
  readonly key: string;
  /** Default: the one the library makes. */
  readonly id?: string;
}

/** What a task is to do. */
export interface JobPayload {
  /** The business key: one effect for each. */
  readonly key: string;
  /** Milliseconds the handler takes. */
  readonly ms?: number;
  /** It stops at its abort signal meanwhile, as a handler should; others do not notice. */
  readonly heedsSignal?: true;
  /** How many attempts fail before one does not. */
  readonly failures?: number;
  /** Something worse than an error. */
  readonly act?: JobAct | undefined;
  /** How many deliveries end their process (`sigkill`). Default: all. */
  readonly deaths?: number;
  /** Makes its effect where it saw none when it began: nothing but the lock of its key keeps it from being made twice. */
  readonly looksFirst?: true;
  /** Milliseconds `spin` takes; the handler then goes on. */
  readonly actMs?: number;
  /** Enqueued when it completes. */
  readonly followUps?: readonly FollowUpJob[];
  /** The handler fails while this file is there. */
  readonly brokenWhile?: string;
}

/** `spin` happens at the first delivery only: a task that always blocks its process is a poison. */
export type JobAct = 'sigkill' | 'exit' | 'spin' | 'hang';

import type { EnqueueItem } from '../task/task-outcome.js';

/** How safe a task must be before `enqueue` answers. */
export type Durability = 'memory' | 'fsync' | ReplicaDurability;

/** Wait until so many replicas have the write. */
export interface ReplicaDurability {
  readonly replicas: number;
  /** Milliseconds to wait for them. Default 1000. */
  readonly timeoutMs?: number;
}

/** What the server confirmed. */
export interface ConfirmedDurability {
  readonly level: 'memory' | 'fsync' | 'replicas';
  /** How it was confirmed: a command (`WAITAOF`, `WAIT`), a checked setting, or nothing for `memory`. */
  readonly confirmedBy: 'WAITAOF' | 'WAIT' | 'appendfsync always' | undefined;
  /** Replicas that have the write, where they were asked. */
  readonly replicas: number | undefined;
}

/** What became of one item of an enqueue. */
export type AppendReply =
  | { readonly kind: 'added' | 'duplicate'; readonly entryId: string | undefined; readonly state: string }
  | { readonly kind: 'conflict' }
  /** So many wait, and no more than the limit may. */
  | { readonly kind: 'full'; readonly waiting: number; readonly limit: number }
  /** It was sent again while others of its call were added, and that failed. */
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'refused'; readonly reply: string };

export interface AppendBatchReply {
  readonly replies: readonly AppendReply[];
  readonly durability: ConfirmedDurability;
}

/** Takes tasks in. */
export interface InboxStore {
  /**
   * Appends tasks of one queue; one reply an item, in order. Safe to repeat with the same ids.
   *
   * @throws QueueUnavailableError, QueueFullError, EnqueueUncertainError, DurabilityUnavailableError,
   *   DurabilityNotConfirmedError.
   */
  append(queue: string, items: readonly EnqueueItem[], durability: Durability): Promise<AppendBatchReply>;
}

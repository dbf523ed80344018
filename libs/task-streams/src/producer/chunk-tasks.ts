import type { Durability } from '../contracts/inbox-store.interface.js';
import type { EnqueueItem } from '../task/task-outcome.js';

/** How much goes into one call. */
export interface ChunkLimits {
  readonly maxItems: number;
  /** The most characters of text; a larger item goes alone. */
  readonly maxText: number;
}

/** One call blocks Redis for the time it takes, and everybody waits: a mebibyte is a few milliseconds. */
const MAX_TEXT_OF_CALL = 1_048_576;

/**
 * Calls of so few tasks that Redis works on one of them while this process puts the next together.
 *
 * @internal
 */
export const CALL_LIMITS: ChunkLimits = { maxItems: 50, maxText: MAX_TEXT_OF_CALL };

/**
 * A call that waits for a disk or for replicas takes so long that more tasks share it.
 *
 * @internal
 */
export const DURABLE_CALL_LIMITS: ChunkLimits = { maxItems: 500, maxText: MAX_TEXT_OF_CALL };

/**
 * Cuts a list into pieces that keep to the limits, in order.
 *
 * @internal
 */
export function chunkTasks<T extends { readonly item: EnqueueItem }>(tasks: readonly T[], limits: ChunkLimits): T[][] {
  const chunks: T[][] = [];
  let chunk: T[] = [];
  let text = 0;
  for (const task of tasks) {
    const size = task.item.body.length + task.item.head.length;
    if (chunk.length > 0 && (chunk.length >= limits.maxItems || text + size > limits.maxText)) {
      chunks.push(chunk);
      chunk = [];
      text = 0;
    }
    chunk.push(task);
    text += size;
  }
  return chunk.length > 0 ? [...chunks, chunk] : chunks;
}

/** What tasks of one call have in common. The name of a queue has no white space, so that the two parts cannot run together. */
export function callKey({ queue, durability }: { readonly queue: string; readonly durability: Durability }): string {
  return durability === 'memory' ? queue : `${queue} ${JSON.stringify(durability)}`;
}

/**
 * The lists of those that have the same key, in the order in which the keys first came.
 *
 * @internal
 */
export function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return [...groups.values()];
}

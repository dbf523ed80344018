import type { ResolvedOptions } from './resolved-options.js';

export type RecordOptions = Pick<ResolvedOptions, 'retention' | 'enqueueTimeoutMs'>;

/**
 * Milliseconds the record of a completed or cancelled task is kept. A sender whose answer was lost sends the same id again
 * until `enqueueTimeoutMs`: without the record it would be added a second time.
 */
export function completedRecordMs({ retention, enqueueTimeoutMs }: RecordOptions): number {
  return Math.max(retention.completedMs, enqueueTimeoutMs);
}

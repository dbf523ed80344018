import type { TASK_METRICS } from './definitions.js';
import type { KnownNames } from './known-names.js';
import type { MetricSet } from './metric-set.js';

/** What events are written down with. */
export interface Recording {
  readonly metrics: MetricSet<typeof TASK_METRICS>;
  readonly names: KnownNames;
}

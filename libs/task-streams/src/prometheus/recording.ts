import type { OfTask } from '../watch/task-event.interface.js';
import type { TASK_METRICS } from './definitions.js';
import type { KnownNames } from './known-names.js';
import type { MetricSet } from './metric-set.js';

/** What events are written down with. */
export interface Recording {
  readonly metrics: MetricSet<typeof TASK_METRICS>;
  readonly names: KnownNames;
}

/** The labels of a task: names that nobody has declared make no series. */
export function taskLabels({ names }: Recording, { queue, task }: Pick<OfTask, 'queue' | 'task'>) {
  return { queue: names.queue(queue), task: names.task(task) };
}

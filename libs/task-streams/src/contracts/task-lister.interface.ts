import type { TaskRecord } from '../task/task-record.js';

/** Where tasks can be listed. */
export type ListablePlace = 'waiting' | 'active' | 'delayed' | 'dead';

export interface ListedTask {
  readonly id: string;
  readonly record: TaskRecord;
}

export interface ListedPage {
  readonly tasks: readonly ListedTask[];
  /** `undefined` at the end. */
  readonly cursor: string | undefined;
}

/** Lists tasks, a bounded page at a time. */
export interface TaskLister {
  listTasks(queue: string, place: ListablePlace, limit: number, cursor: string | undefined): Promise<ListedPage>;
}

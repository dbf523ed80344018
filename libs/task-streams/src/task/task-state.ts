/**
 * Where a task is in its life. `waiting`, `delayed`, `active` and `retrying` are alive; the other four are final.
 *
 * @publicApi
 */
export const TASK_STATES = [
  'waiting',
  'delayed',
  'active',
  'retrying',
  'completed',
  'dead',
  'cancelled',
  'expired',
] as const;

/** @publicApi */
export type TaskState = (typeof TASK_STATES)[number];

const FINAL_STATES: ReadonlySet<TaskState> = new Set<TaskState>(['completed', 'dead', 'cancelled', 'expired']);

/**
 * Whether a task in this state will never run again by itself.
 *
 * @publicApi
 */
export function isFinalState(state: TaskState): boolean {
  return FINAL_STATES.has(state);
}

/** The tasks this process knows by name: those of its handlers, and those that were declared with `forFeature`. */
export interface DeclaredTasks {
  entries(): Iterable<{ readonly name: string; readonly queue: string }>;
}

/** The {@link DeclaredTasks}. */
export const DECLARED_TASKS = Symbol.for('nestjs-task-streams:declared-tasks');

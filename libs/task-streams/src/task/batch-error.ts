/** An error about a batch lists the ids of all its tasks; the sender of one must see its own only. */
export function errorForTask(error: unknown, taskId: string): unknown {
  return isAboutBatch(error) ? error.forTask(taskId) : error;
}

function isAboutBatch(error: unknown): error is { forTask(taskId: string): Error } {
  return error instanceof Error && 'forTask' in error && typeof error.forTask === 'function';
}

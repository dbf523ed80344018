import { EmptyError } from 'rxjs';
import type { TaskRun } from './task-run.js';

/**
 * Nest throws an EmptyError when the observable of a provider's pipeline completes without a value. After the handler has
 * returned that is no failure: there is nothing to answer.
 */
export function isEmptyAnswer(run: TaskRun, error: unknown): boolean {
  return run.proof !== undefined && error instanceof EmptyError;
}

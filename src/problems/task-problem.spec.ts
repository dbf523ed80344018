import {
  DurabilityUnavailableError,
  PayloadInvalidError,
  QueueUnavailableError,
  TaskConflictError,
  UsageError,
} from 'nestjs-task-streams';
import { describe, expect, it } from 'vitest';
import { taskProblem } from './task-problem.js';

describe('an error of the library as a problem', () => {
  it.each([
    [new TaskConflictError('1', 'reports'), 422],
    [new PayloadInvalidError('reports.tax-export', ['year is wrong']), 400],
    [new QueueUnavailableError(['1'], 'no answer'), 503],
    [new DurabilityUnavailableError('fsync', 'this Redis keeps nothing on disk'), 503],
    [new UsageError('The shop is wired wrong'), 500],
  ])('%s has status %d, its own code and its own words', (error, status) => {
    const problem = taskProblem(error);
    expect(problem.getStatus()).toBe(status);
    expect(problem.detail).toBe(error.message);
    expect(problem.more.code).toBe(error.code);
  });

  it('says when to try again where that can help, and only there', () => {
    expect(taskProblem(new QueueUnavailableError(['1'], 'no answer')).more.retryAfterSeconds).toBe(5);
    expect(taskProblem(new TaskConflictError('1', 'reports')).more.retryAfterSeconds).toBeUndefined();
  });

  it('names the fields that are wrong', () => {
    expect(taskProblem(new PayloadInvalidError('x', ['year is wrong'])).more.errors).toEqual(['year is wrong']);
  });
});

import { Logger } from '@nestjs/common';
import type { ResolvedOptions } from '../options/resolved-options.js';
import type { AppWideEnhancers } from './nest-internals.js';

const logger = new Logger('TaskStreams');

/** Says once, at boot, which guards, interceptors, pipes and filters of the whole application tasks go through, or do not. */
export function tellEnhancers(
  handlerCount: number,
  enhancers: ResolvedOptions['enhancers'],
  found: AppWideEnhancers | undefined,
): void {
  const list = found === undefined ? '' : listOf(found);
  if (handlerCount === 0 || list === '') return;
  const handlers = handlerCount === 1 ? 'the task handler' : `the ${handlerCount} task handlers`;
  logger.log(
    enhancers === 'all'
      ? `Bound for the whole application, and run for the tasks of ${handlers} too: ${list}. A guard that denies a task makes it a dead letter`
      : `Bound for the whole application, and not run for ${handlers}: ${list}. To run them for tasks too, set enhancers: 'all'`,
  );
}

function listOf(found: AppWideEnhancers): string {
  return [
    part('guard', found.guards),
    part('interceptor', found.interceptors),
    part('pipe', found.pipes),
    part('filter', found.filters),
  ]
    .filter((text) => text !== '')
    .join('; ');
}

function part(kind: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${kind}${names.length > 1 ? 's' : ''} ${[...new Set(names)].join(', ')}`;
}

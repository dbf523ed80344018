import type { ResolvedOptions } from '../options/resolved-options.js';
import type { DrainReport } from '../worker/worker-status.js';

/** The most task names of a queue in one line. */
const MOST_NAMES = 20;

interface Plan {
  readonly name: string;
  readonly concurrency: number;
}

/** What a boot says of a queue it works on. */
export function describeQueue(
  { name: queue, concurrency }: Plan,
  tasks: readonly string[],
  { leaseMs, queues }: Pick<ResolvedOptions, 'leaseMs' | 'queues'>,
): string {
  const { maxBacklog, events } = queues[queue] ?? {};
  const more = tasks.length > MOST_NAMES ? `, and ${tasks.length - MOST_NAMES} more` : '';
  const parts = [
    `works on queue "${queue}": ${tasks.slice(0, MOST_NAMES).join(', ')}${more}`,
    `${concurrency} at once`,
    `lease ${seconds(leaseMs)}`,
    maxBacklog !== undefined && `at most ${maxBacklog} waiting`,
    events && 'with a log of events',
  ];
  return `This process ${parts.filter(Boolean).join('; ')}`;
}

/** What is said when the workers begin to stop; `undefined` where nothing runs. */
export function describeStop(runningCount: number, shutdownTimeoutMs: number): string | undefined {
  if (runningCount === 0) return undefined;
  return `The workers stop: ${countOf(runningCount)} running, waited for ${seconds(shutdownTimeoutMs)} at most`;
}

/** What is said when they have stopped. */
export function describeStopped({ releasedCount, unsettledCount }: DrainReport, tookMs: number): string {
  const unsettled =
    unsettledCount === 0
      ? ''
      : `; Redis could not be told of ${countOf(unsettledCount)}: another worker takes them when their lease has expired`;
  const released =
    releasedCount === 0 ? 'no task was released' : `${countOf(releasedCount)} released for other workers`;
  return `The workers have stopped after ${seconds(tookMs)}: ${released}${unsettled}`;
}

function countOf(count: number): string {
  return `${count} task${count === 1 ? '' : 's'}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

import type { QueueReport } from '../contracts/queue-store.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { cureOf } from '../policy/redis-error.js';
import { conditionOf, type Condition } from '../policy/redis-reactions.js';
import { evictionAdvice } from '../policy/server-advice.js';
import { withoutFullStop } from '../task/sentence.js';
import type { OpenTrouble, QueueLoopStatus, WorkerStatus } from '../worker/worker-status.js';
import type { Inspection } from './broker-inspection.js';
import type { ReadinessThresholds } from './readiness-options.js';

/** What is wrong, and how badly. */
export interface Problem {
  readonly condition: Exclude<Condition, 'up'>;
  readonly text: string;
}

/** What keeps the workers from working; empty where nothing does, and in a producer. */
export function findWorkerProblems(
  options: Pick<ResolvedOptions, 'mode' | 'timing'>,
  status: WorkerStatus,
  hasHandlers: boolean,
): Problem[] {
  if (options.mode === 'producer') return [];
  switch (status.state) {
    case 'idle':
      return hasHandlers ? [down('there are task handlers, but listen() or TaskWorkers.start() was not called')] : [];
    case 'running':
      return status.queues.flatMap((queue) => [
        ...findFetchProblems(queue, options.timing.blockMs),
        ...findStuckProblems(queue),
        ...findSuspectProblems(queue),
      ]);
    case 'draining':
    case 'stopped':
      return [down(`the workers are ${status.state}`)];
  }
}

/** What it says about this process that Redis cannot be asked. */
export function findInspectionProblems(error: unknown, sinceMs: number): Problem[] {
  const condition = conditionOf(error, sinceMs);
  return condition === 'up' ? [] : [{ condition, text: `Redis cannot be used: ${withCure(error)}` }];
}

/** As many as may run at once make the process do its work twice over; fewer are a sign. */
export function findStuckProblems({ queue, stuckCount, concurrency }: QueueLoopStatus): Problem[] {
  if (stuckCount === 0) return [];
  const condition = stuckCount >= concurrency ? 'down' : 'degraded';
  const text = `queue "${queue}": ${stuckCount} handlers ignore their abort signal and go on (concurrency ${concurrency})`;
  return [{ condition, text }];
}

/** No reason to stop the instance: everything else goes on. But it may die of one of them. */
function findSuspectProblems({
  queue,
  heldSuspectCount: held,
  runningSuspectCount: running,
}: QueueLoopStatus): Problem[] {
  if (held + running === 0) return [];
  const text =
    `queue "${queue}": of the tasks at their last permitted delivery, because their process died with them, ` +
    `${running} run and ${held} wait for their turn`;
  return [{ condition: 'degraded', text }];
}

/** How much longer than its block time a fetch may take. */
const MAX_SINCE_FETCH_MS = 10_000;

function findFetchProblems({ queue, troubles, sinceLastFetchMs }: QueueLoopStatus, blockMs: number): Problem[] {
  const known = troubles.flatMap((trouble) => findTroubleProblems(queue, trouble));
  // What is known to fail is judged by its class: a server that loads its data has some time.
  const isExplained = troubles.some(({ operation }) => operation === 'fetch');
  if (isExplained || sinceLastFetchMs <= MAX_SINCE_FETCH_MS + blockMs) return known;
  return [...known, down(`queue "${queue}": no fetch has worked for ${Math.round(sinceLastFetchMs / 1_000)} s`)];
}

function findTroubleProblems(queue: string, { operation, error, sinceMs }: OpenTrouble): Problem[] {
  const condition = conditionOf(error, sinceMs);
  if (condition === 'up') return [];
  return [
    { condition, text: `queue "${queue}": Redis does not do what is asked of it (${operation}): ${withCure(error)}` },
  ];
}

/** What is wrong with Redis or the queues; empty where nothing is. */
export function findQueueProblems(inspection: Inspection, thresholds: ReadinessThresholds): Problem[] {
  const eviction = evictionAdvice(inspection.server);
  return [
    ...findRefusalProblems(inspection.refusal),
    ...(eviction === undefined ? [] : [{ condition: 'degraded', text: eviction } as const]),
    ...Object.entries(inspection.queues).flatMap(([queue, report]) => [
      ...findReportProblems(queue, report, thresholds),
      ...findForeignGroups(queue, report),
    ]),
  ];
}

function findRefusalProblems(refusal: Inspection['refusal']): Problem[] {
  if (refusal === undefined) return [];
  const condition = conditionOf(refusal.error, refusal.sinceMs);
  return condition === 'up' ? [] : [{ condition, text: `Redis refuses writes: ${withCure(refusal.error)}` }];
}

function findReportProblems(queue: string, report: QueueReport, thresholds: ReadinessThresholds): Problem[] {
  const { maxOldestWaitingMs, maxWaiting, maxDead, minConsumers = 0 } = thresholds;
  return [
    // Whoever pauses a queue wants its tasks to wait.
    !report.paused &&
      exceeds(report.oldestWaitingMs, maxOldestWaitingMs) &&
      `queue "${queue}": the oldest task has waited ${report.oldestWaitingMs} ms, more than ${maxOldestWaitingMs}`,
    !report.paused &&
      exceeds(report.waiting, maxWaiting) &&
      `queue "${queue}": ${report.waiting} tasks wait, more than ${maxWaiting}`,
    exceeds(report.dead, maxDead) && `queue "${queue}": ${report.dead} dead letters, more than ${maxDead}`,
    report.liveConsumers < minConsumers &&
      `queue "${queue}": ${report.liveConsumers} workers were heard of within the lease, fewer than ${minConsumers}`,
  ]
    .filter((problem) => problem !== false)
    .map(down);
}

/** The work goes on, and what is lost is lost by another program. */
function findForeignGroups(queue: string, { foreignGroups: count }: QueueReport): Problem[] {
  if (count === 0) return [];
  const text =
    `queue "${queue}": its task stream has other consumer groups than "workers" (${count}), which lose every task that is ` +
    'settled. task-streams doctor names them';
  return [{ condition: 'degraded', text }];
}

function exceeds(value: number, limit: number | undefined): boolean {
  return limit !== undefined && value > limit;
}

function down(text: string): Problem {
  return { condition: 'down', text };
}

function withCure(error: unknown): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const cure = cureOf(error);
  return cure === undefined ? message : `${withoutFullStop(message)}. ${cure}`;
}

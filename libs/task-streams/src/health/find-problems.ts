import type { QueueDepth } from '../contracts/broker.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import type { QueueLoopStatus, WorkerStatus } from '../worker/worker-status.js';
import type { Inspection } from './broker-inspection.js';
import type { ReadinessThresholds } from './readiness-options.js';

/** What keeps the workers from working; empty where nothing does, and in a producer. */
export function findWorkerProblems(
  options: Pick<ResolvedOptions, 'mode' | 'blockMs'>,
  status: WorkerStatus,
  hasHandlers: boolean,
): string[] {
  if (options.mode === 'producer') return [];
  switch (status.state) {
    case 'idle':
      return hasHandlers ? ['there are task handlers, but listen() or TaskWorkers.start() was not called'] : [];
    case 'running':
      return status.queues.flatMap((queue) => findFetchProblems(queue, options.blockMs));
    case 'draining':
    case 'stopped':
      return [`the workers are ${status.state}`];
  }
}

/** How much longer than its block time a fetch may take. */
const MAX_SINCE_FETCH_MS = 10_000;

function findFetchProblems({ queue, lastError, sinceLastFetchMs }: QueueLoopStatus, blockMs: number): string[] {
  if (lastError !== undefined) return [`queue "${queue}": Redis does not do what is asked of it: ${lastError}`];
  if (sinceLastFetchMs <= MAX_SINCE_FETCH_MS + blockMs) return [];
  return [`queue "${queue}": no fetch has worked for ${Math.round(sinceLastFetchMs / 1_000)} s`];
}

/** What is wrong with Redis or the queues; empty where nothing is. */
export function findQueueProblems(inspection: Inspection, thresholds: ReadinessThresholds): string[] {
  const { evictionPolicy } = inspection.server;
  return [
    ...(evictionPolicy.startsWith('allkeys')
      ? [`Redis may evict tasks: its maxmemory-policy is ${evictionPolicy}; set it to noeviction`]
      : []),
    ...Object.entries(inspection.depths).flatMap(([queue, depth]) => findDepthProblems(queue, depth, thresholds)),
  ];
}

function findDepthProblems(queue: string, depth: QueueDepth, thresholds: ReadinessThresholds): string[] {
  const { maxOldestWaitingMs, maxWaiting, maxDead } = thresholds;
  return [
    exceeds(depth.oldestWaitingMs, maxOldestWaitingMs) &&
      `queue "${queue}": the oldest task has waited ${depth.oldestWaitingMs} ms, more than ${maxOldestWaitingMs}`,
    exceeds(depth.waiting, maxWaiting) && `queue "${queue}": ${depth.waiting} tasks wait, more than ${maxWaiting}`,
    exceeds(depth.dead, maxDead) && `queue "${queue}": ${depth.dead} dead letters, more than ${maxDead}`,
  ].filter((problem) => problem !== false);
}

function exceeds(value: number, limit: number | undefined): boolean {
  return limit !== undefined && value > limit;
}

import type { QueueReport } from '../contracts/queue-store.interface.js';
import type { ServerReport } from '../contracts/server-store.interface.js';
import type { WorkerStatus } from '../worker/worker-status.js';
import type { PROCESS_METRICS, QUEUE_METRICS, SERVER_METRICS } from './definitions.js';
import type { MetricSet } from './metric-set.js';

/** What Redis said, `undefined` where it did not answer in time. */
export interface RedisState {
  readonly queues: ReadonlyMap<string, QueueReport> | undefined;
  readonly server: ServerReport | undefined;
}

/** The one group of every queue. */
const GROUP = 'workers';

/** What is shown of Redis: nothing while it does not answer, because an old number would look like a new one. */
export function showRedis(
  metrics: MetricSet<typeof QUEUE_METRICS>,
  { redisUp, redisAof, redisNoEviction }: MetricSet<typeof SERVER_METRICS>,
  { queues, server }: RedisState,
): void {
  for (const metric of Object.values(metrics)) metric.reset();
  for (const metric of [redisAof, redisNoEviction]) metric.remove();
  redisUp.set(queues === undefined ? 0 : 1);
  for (const [queue, report] of queues ?? []) showQueue(metrics, queue, report);
  if (server === undefined) return;
  redisAof.set(server.persistence === 'none' ? 0 : 1);
  if (server.evictionPolicy !== 'unknown') redisNoEviction.set(server.evictionPolicy === 'noeviction' ? 1 : 0);
}

/** What is shown of this process. */
export function showWorkers({ workerSlots }: MetricSet<typeof PROCESS_METRICS>, { queues }: WorkerStatus): void {
  workerSlots.reset();
  for (const { queue, concurrency, runningCount } of queues) {
    workerSlots.set({ queue, state: 'busy' }, runningCount);
    workerSlots.set({ queue, state: 'free' }, Math.max(concurrency - runningCount, 0));
  }
}

function showQueue(metrics: MetricSet<typeof QUEUE_METRICS>, queue: string, report: QueueReport): void {
  const { queueTasks, groupLag, groupPending, oldestReady, oldestPending, oldestDead, consumers, paused } = metrics;
  const group = GROUP;
  queueTasks.set({ queue, state: 'ready' }, report.waiting);
  queueTasks.set({ queue, state: 'delayed' }, report.delayed);
  queueTasks.set({ queue, state: 'running' }, report.active);
  queueTasks.set({ queue, state: 'dead' }, report.dead);
  if (report.lag !== undefined) groupLag.set({ queue, group }, report.lag);
  groupPending.set({ queue, group }, report.active);
  oldestReady.set({ queue }, report.oldestWaitingMs / 1_000);
  oldestPending.set({ queue, group }, (report.oldestPendingIdleMs ?? 0) / 1_000);
  oldestDead.set({ queue }, (report.oldestDeadMs ?? 0) / 1_000);
  consumers.set({ queue, group, state: 'live' }, report.liveConsumers);
  consumers.set({ queue, group, state: 'stale' }, report.staleConsumers);
  paused.set({ queue }, report.paused === undefined ? 0 : 1);
}

import type { WorkerInfo } from 'nestjs-task-streams';

/** A worker renews its leases and waits for tasks far more often than this, in milliseconds, with the default options. */
export const LIVE_MS = 32_000;

/** Whether a worker was heard of lately. */
export function isLive({ idleMs }: WorkerInfo): boolean {
  return idleMs <= LIVE_MS;
}

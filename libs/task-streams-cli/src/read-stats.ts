import type { TaskStreamsAdmin } from 'nestjs-task-streams/admin';
import type { Measures } from './parse/fail-if.js';

/** What `stats` shows of one queue. `oldestAge` is in seconds. */
export interface QueueStats extends Omit<Measures, 'paused'> {
  readonly queue: string;
  readonly paused: boolean;
}

/** The most queues that are read at once. */
const AT_ONCE = 50;

/** The queues that are named, or all of them. */
export async function readStats(admin: TaskStreamsAdmin, queues: readonly string[]): Promise<QueueStats[]> {
  const names = queues.length > 0 ? queues : await admin.queues.queues();
  const stats: QueueStats[] = [];
  for (let first = 0; first < names.length; first += AT_ONCE) {
    stats.push(...(await Promise.all(names.slice(first, first + AT_ONCE).map((queue) => readOne(admin, queue)))));
  }
  return stats;
}

async function readOne(admin: TaskStreamsAdmin, queue: string): Promise<QueueStats> {
  const [{ waiting, active, delayed, dead, oldestWaitingMs, paused }, workers] = await Promise.all([
    admin.queues.inspect(queue),
    admin.queues.workers(queue),
  ]);
  return {
    queue,
    waiting,
    active,
    delayed,
    dead,
    oldestAge: Math.round(oldestWaitingMs / 100) / 10,
    workers: workers.filter(({ isLive }) => isLive).length,
    paused: paused !== undefined,
  };
}

/** The numbers that conditions compare. */
export function measuresOf({ paused, ...numbers }: QueueStats): Measures {
  return { ...numbers, paused: paused ? 1 : 0 };
}

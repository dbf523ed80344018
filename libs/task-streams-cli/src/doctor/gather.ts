import type { FailureGroup, QueueOverview, WorkerInfo } from 'nestjs-task-streams';
import { RedisUnavailableError } from 'nestjs-task-streams/admin';
import type { ServerExam, TaskStreamsAdmin } from 'nestjs-task-streams/admin';

/** What is known of one queue. */
export interface QueueFacts {
  readonly overview: QueueOverview;
  readonly workers: readonly WorkerInfo[];
  readonly groups: readonly FailureGroup[];
  /** Entries that are no tasks, of those that were looked at. */
  readonly foreignEntries: readonly string[];
}

export interface Facts {
  readonly exam: ServerExam;
  readonly queues: ReadonlyMap<string, QueueFacts>;
  /** Queues that cannot be read, and why. */
  readonly unreadable: ReadonlyMap<string, string>;
}

/** Reads all that is judged; each queue costs the same, however long it is. */
export async function gather(admin: TaskStreamsAdmin): Promise<Facts> {
  const names = await admin.queues.queues();
  const queues = new Map<string, QueueFacts>();
  const unreadable = new Map<string, string>();
  for (const name of names) {
    try {
      queues.set(name, await readQueue(admin, name));
    } catch (error) {
      if (error instanceof RedisUnavailableError) throw error;
      unreadable.set(name, error instanceof Error ? error.message : String(error));
    }
  }
  // A key that holds something else keeps nobody from being asked about the others.
  const odd = [...unreadable].filter(([, why]) => why.startsWith('WRONGTYPE')).map(([name]) => name);
  return { exam: await admin.examine([...queues.keys(), ...odd]), queues, unreadable };
}

async function readQueue(admin: TaskStreamsAdmin, queue: string): Promise<QueueFacts> {
  const [overview, workers, groups, foreignEntries] = await Promise.all([
    admin.queues.inspect(queue),
    admin.queues.workers(queue),
    admin.letters.groups(queue),
    admin.foreignEntries(queue),
  ]);
  return { overview, workers, groups, foreignEntries };
}

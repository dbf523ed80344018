import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { EndState } from '../plan.js';
import type { Session, SessionOptions, Side } from '../side.js';

/** BullMQ as its guide shows it. */
export const bullmq: Side = { open, unfinished: unfinishedJobs, endState: endStateOfJobs };

async function open(options: SessionOptions): Promise<Session> {
  const connection = { host: '127.0.0.1', port: options.port };
  const queue = new Queue(options.queue, { connection, defaultJobOptions: jobOptions(options) });
  const worker = new Worker(options.queue, (job) => options.handle(job.data), {
    connection,
    autorun: false,
    ...workerOptions(options),
  });
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  return {
    add: (order) => queue.add('run', order),
    addMany: (orders) => queue.addBulk(orders.map((data) => ({ name: 'run', data }))),
    start: () => void worker.run(),
    close: async () => {
      await worker.close();
      await queue.close();
    },
  };
}

/** What every job of the bench gets. */
export function jobOptions({ isKeeping, isRetrying }: SessionOptions): {
  removeOnComplete?: boolean;
  attempts?: number;
} {
  return { ...(isKeeping ? {} : { removeOnComplete: true }), ...(isRetrying ? { attempts: 5 } : {}) };
}

/** What the worker gets, beside its connection. */
export function workerOptions({ concurrency, leaseMs }: SessionOptions): {
  concurrency: number;
  lockDuration?: number;
} {
  return { concurrency, ...(leaseMs === undefined ? {} : { lockDuration: leaseMs }) };
}

/** Jobs that wait, are delayed or run. */
export async function unfinishedJobs(redis: Redis, queue: string): Promise<number> {
  const base = `bull:${queue}:`;
  const counts = await Promise.all([
    redis.llen(`${base}wait`),
    redis.llen(`${base}active`),
    redis.zcard(`${base}delayed`),
    redis.zcard(`${base}prioritized`),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

export async function endStateOfJobs(redis: Redis, queue: string): Promise<EndState> {
  const pending = await redis.llen(`bull:${queue}:active`);
  return {
    left: (await unfinishedJobs(redis, queue)) - pending + (await redis.zcard(`bull:${queue}:failed`)),
    pending,
    completed: await redis.zcard(`bull:${queue}:completed`),
  };
}

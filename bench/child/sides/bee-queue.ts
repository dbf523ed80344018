import BeeQueue from 'bee-queue';
import type { Redis } from 'ioredis';
import type { Order } from '../orders.js';
import type { EndState } from '../plan.js';
import type { Session, SessionOptions, Side } from '../side.js';

/** bee-queue with the settings its README gives for speed: no events, no jobs kept in the process. */
export const beeQueue: Side = { open, unfinished, endState };

async function open(options: SessionOptions): Promise<Session> {
  const queue = new BeeQueue<Order>(options.queue, {
    redis: { host: '127.0.0.1', port: options.port },
    getEvents: false,
    sendEvents: false,
    storeJobs: false,
    removeOnSuccess: !options.isKeeping,
    ...(options.leaseMs === undefined ? {} : { stallInterval: options.leaseMs }),
  });
  await queue.ready();
  const createJob = (order: Order) => {
    const job = queue.createJob(order);
    return options.isRetrying ? job.retries(4) : job;
  };
  return {
    add: (order) => createJob(order).save(),
    addMany: async (orders) => {
      const errors = await queue.saveAll(orders.map(createJob));
      for (const error of errors.values()) throw error;
    },
    start: () => queue.process(options.concurrency, (job: BeeQueue.Job<Order>) => options.handle(job.data)),
    close: () => queue.close(10_000),
  };
}

async function unfinished(redis: Redis, queue: string): Promise<number> {
  const base = `bq:${queue}:`;
  const counts = await Promise.all([
    redis.llen(`${base}waiting`),
    redis.llen(`${base}active`),
    redis.zcard(`${base}delayed`),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

async function endState(redis: Redis, queue: string): Promise<EndState> {
  const pending = await redis.llen(`bq:${queue}:active`);
  return {
    left: (await unfinished(redis, queue)) - pending + (await redis.scard(`bq:${queue}:failed`)),
    pending,
    completed: await redis.scard(`bq:${queue}:succeeded`),
  };
}

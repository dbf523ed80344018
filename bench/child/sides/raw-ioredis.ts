import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { countCompleted } from '../count-completed.js';
import type { Order } from '../orders.js';
import type { EndState } from '../plan.js';
import type { Session, SessionOptions, Side } from '../side.js';
import { RawLoop } from './raw-loop.js';
import { APPEND } from './raw-scripts.js';

/** The limit: what ioredis and one script a batch can do, without Nest, retries, leases or anything else. */
export const rawIoredis: Side = { open, unfinished, endState };

interface AppendClient extends Redis {
  appendTasks(stream: string, ...tasks: readonly string[]): Promise<number>;
}

async function open(options: SessionOptions): Promise<Session> {
  const stream = streamOf(options.queue);
  const client = new Redis(options.port, '127.0.0.1') as AppendClient;
  client.defineCommand('appendTasks', { numberOfKeys: 1, lua: APPEND });
  await client.xgroup('CREATE', stream, 'workers', '0', 'MKSTREAM').catch(() => undefined);
  const loop = new RawLoop(stream, markersOf(options.queue), options);
  return {
    add: (order) => client.xadd(stream, '*', 'id', randomUUID(), 'body', JSON.stringify(order)),
    addMany: (orders) => client.appendTasks(stream, ...orders.flatMap(encode)),
    start: () => loop.start(),
    close: async () => {
      await loop.stop();
      client.disconnect();
    },
  };
}

function encode(order: Order): [id: string, body: string] {
  return [randomUUID(), JSON.stringify(order)];
}

async function unfinished(redis: Redis, queue: string): Promise<number> {
  return redis.xlen(streamOf(queue));
}

async function endState(redis: Redis, queue: string): Promise<EndState> {
  const [pending] = (await redis.xpending(streamOf(queue), 'workers')) as [number];
  return {
    left: await unfinished(redis, queue),
    pending,
    completed: await countCompleted(redis, `${markersOf(queue)}*`, 'D'),
  };
}

function streamOf(queue: string): string {
  return `raw:${queue}:stream`;
}

function markersOf(queue: string): string {
  return `raw:${queue}:t:`;
}

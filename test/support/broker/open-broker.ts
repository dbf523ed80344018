import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import type { TaskStreamsOptions } from '../../../libs/task-streams/src/options/task-streams-options.js';
import { TestBroker } from './test-broker.js';
import type { EnqueueItem } from '../../../libs/task-streams/src/task/task-outcome.js';

/** A broker of its own keys, and a plain client that looks at them as a stranger would. */
export interface BrokerBench {
  readonly broker: TestBroker;
  readonly redis: Redis;
  readonly prefix: string;
  /** Another worker on the same keys. */
  readonly another: (options?: TaskStreamsOptions) => TestBroker;
  /** Everything there is about one queue, in a form that can be compared. */
  readonly state: (queue: string) => Promise<QueueState>;
}

export interface QueueState {
  readonly stream: readonly string[];
  readonly pending: readonly string[];
  readonly delayed: readonly string[];
  readonly dead: readonly string[];
  /** `<task id>: <state>`, sorted. */
  readonly records: readonly string[];
}

/** Opens a broker that is closed when the test ends. */
export async function openBroker(options: TaskStreamsOptions = {}, url = inject('redisUrl')): Promise<BrokerBench> {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const redis = new Redis(url, { protocol: 2, maxRetriesPerRequest: 0 });
  // A spec may end the server under it.
  redis.on('error', () => undefined);
  const create = (own: TaskStreamsOptions) => {
    const timing = { blockMs: 200, ...options.timing, ...own.timing };
    const broker = new TestBroker(resolveOptions({ connection: { url }, prefix, ...options, ...own, timing }));
    onTestFinished(() => broker.server.close());
    return broker;
  };
  onTestFinished(async () => {
    await clear(redis, prefix).catch(() => undefined);
    redis.disconnect();
  });
  const broker = create({});
  return {
    broker,
    redis,
    prefix,
    another: (own = {}) => create(own),
    state: (queue) => readState(broker, redis, prefix, queue),
  };
}

async function clear(redis: Redis, prefix: string): Promise<void> {
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(keys);
}

/** One task, ready to be appended. */
export function item(id: string, payload: unknown = {}, over: Partial<EnqueueItem> = {}): EnqueueItem {
  const body = JSON.stringify(payload);
  return {
    id,
    name: 'job',
    idempotencyKey: '',
    head: '',
    body,
    delayMs: 0,
    runAt: 0,
    ...over,
  };
}

/** Appends tasks and hands them to the broker's worker. */
export async function deliver(
  broker: TestBroker,
  queue: string,
  ...items: readonly EnqueueItem[]
): Promise<Delivery[]> {
  await broker.inbox.append(queue, items, 'memory');
  await broker.work.ensure(queue);
  return broker.read(queue, items.length);
}

/** Waits until the lease of tasks lapsed, and takes them over. */
export async function takeOver(broker: TestBroker, queue: string, count = 1): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  await expect
    .poll(async () => deliveries.push(...(await broker.work.reclaim(queue, 10, '0-0')).deliveries), { interval: 20 })
    .toBe(count);
  return deliveries;
}

async function readState(broker: TestBroker, redis: Redis, prefix: string, queue: string): Promise<QueueState> {
  const base = `${prefix}:{${queue}}:`;
  const ids = (entries: readonly (readonly [string, readonly string[]])[]) =>
    entries.map(([entryId, fields]) => fields[fields.indexOf('head') + 1]?.split('\n')[1] ?? entryId);
  const recordKeys = await redis.keys(`${base.replace(/[{}]/g, '\\$&')}t:*`);
  const records = await Promise.all(
    recordKeys.map(async (key) => {
      const taskId = key.slice(base.length + 2);
      return `${taskId}: ${(await broker.tasks.get(queue, taskId))?.state}`;
    }),
  );
  return {
    stream: ids(await redis.xrange(`${base}stream`, '-', '+')),
    pending: await readPending(redis, `${base}stream`),
    delayed: await redis.zrange(`${base}delayed`, 0, '-1'),
    dead: ids(await redis.xrange(`${base}dead`, '-', '+')),
    records: records.sort(),
  };
}

async function readPending(redis: Redis, stream: string): Promise<string[]> {
  try {
    const rows = (await redis.xpending(stream, 'workers', '-', '+', 1000)) as [string, string, number, number][];
    return rows.map(([entryId, , , count]) => `${entryId} x${count}`);
  } catch {
    return [];
  }
}

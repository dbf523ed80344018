import type { TestProject } from 'vitest/node';
import { checkRedisUrl } from '../../scripts/redis/index.mjs';
import { type TestRedis, startTestRedis } from './redis-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The Redis that all specs of a run share: `inject('redisUrl')`. Each spec keeps to keys of its own. */
    redisUrl: string;
  }
}

interface Shared {
  users: number;
  redis: Promise<{ readonly url: string; stop(): Promise<void> }>;
}

// Every vitest project that needs a Redis runs this file in a module graph of its own; the run still has one server.
const slot: { [key: symbol]: Shared | undefined } = globalThis;
const key = Symbol.for('nestjs-task-streams.test-redis');

/** Gives the specs a Redis: the one that TEST_REDIS_URL names, else a private one for this run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (slot[key] ??= { users: 0, redis: openRedis() });
  shared.users += 1;
  project.provide('redisUrl', (await shared.redis).url);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    slot[key] = undefined;
    await (await shared.redis).stop();
  };
}

async function openRedis(): Promise<Pick<TestRedis, 'url' | 'stop'>> {
  const url = process.env['TEST_REDIS_URL'];
  if (!url) return startTestRedis();
  await checkRedisUrl(url, 'TEST_REDIS_URL');
  return { url, stop: async () => undefined };
}

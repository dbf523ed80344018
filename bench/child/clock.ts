import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';

/** Wall time and CPU time of a piece of work, for one task. */
export interface Measured {
  readonly seconds: number;
  readonly nodeMicros: number;
  readonly redisMicros: number;
}

/** Measures `work`. What Redis is asked for its own CPU time lies outside the clock. */
export async function measure(redis: Redis, taskCount: number, work: () => Promise<void>): Promise<Measured> {
  // What the preparation left behind is not paid for while the clock runs.
  globalThis.gc?.();
  const redisBefore = await cpuSecondsOf(redis);
  const nodeBefore = process.cpuUsage();
  const startedAt = process.hrtime.bigint();
  await work();
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  const node = process.cpuUsage(nodeBefore);
  const redisAfter = await cpuSecondsOf(redis);
  return {
    seconds,
    nodeMicros: (node.user + node.system) / taskCount,
    redisMicros: ((redisAfter - redisBefore) * 1e6) / taskCount,
  };
}

/** CPU time that the server has used so far, in seconds. */
export async function cpuSecondsOf(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  return fieldOf(info, 'used_cpu_user') + fieldOf(info, 'used_cpu_sys');
}

/** Bytes that the data, the connections and the scripts of the server take. */
export async function usedMemoryOf(redis: Redis): Promise<number> {
  return fieldOf(await redis.info('memory'), 'used_memory');
}

function fieldOf(info: string, name: string): number {
  const value = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1];
  if (value === undefined) throw new Error(`INFO of this server has no ${name}`);
  return Number(value);
}

/** The middle and the far end of a list of times in milliseconds. */
export function percentilesOf(samples: readonly number[]): { p50: number; p95: number; p99: number } {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

const TIMEOUT_MS = 600_000;

/** Asks again until the answer is true; the parent ends a run that takes too long before this does. */
export async function until(what: string, isTrue: () => Promise<boolean>, pauseMs: number): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${TIMEOUT_MS} ms`);
    if (pauseMs > 0) await delay(pauseMs);
  }
}

import type { Bench } from '../harness/bench.js';
import type { Job } from '../harness/producer.js';
import type { JobPayload } from '../worker/settings.js';

/** Task number `i`, which takes a few milliseconds; its id and its business key are made of the number. */
export function job(i: number, payload: Partial<JobPayload> = {}, prefix = 'job'): Job {
  return { id: `${prefix}-${i}`, payload: { key: `${prefix}-key-${i}`, ms: 1 + (i % 30), ...payload } };
}

/** The ids of some tasks. */
export function idsOf(count: number, isMeant: (i: number) => boolean, prefix = 'job'): Set<string> {
  return new Set(Array.from({ length: count }, (_, i) => i).flatMap((i) => (isMeant(i) ? [`${prefix}-${i}`] : [])));
}

/** Numbers of tasks that are spread evenly over all of them. */
export function everyNth(count: number, wanted: number): ReadonlySet<number> {
  const step = Math.max(1, Math.floor(count / wanted));
  return new Set(Array.from({ length: wanted }, (_, n) => Math.min(count - 1, Math.floor(step / 2) + n * step)));
}

/** Which worker each fault hits: drawn before the run. */
export function victims(bench: Bench, count = bench.faultCount): number[] {
  return bench.random.times(count, (random) => random.between(0, bench.fleet.size - 1));
}

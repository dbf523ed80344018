import type { Expectations } from './expectations.js';
import { groupBy, type History } from './history.js';
import { recoveryTimes, spreadOf } from './recovery.js';

/** What took too long, or came too early. */
export function timingViolations(history: History, expected: Expectations): string[] {
  const found: string[] = [];
  const { recoveryP99Ms, maxStartDelayMs, earliestStartMs } = expected;
  const { p99, count } = spreadOf(recoveryTimes(history));
  if (recoveryP99Ms !== undefined && count > 0 && p99 > recoveryP99Ms) {
    found.push(`I7: recovery p99 is ${p99} ms, allowed are ${recoveryP99Ms} ms`);
  }
  const delays = startDelays(history);
  const { max } = spreadOf([...delays.values(), ...waitsWithoutEnd(history, delays)]);
  if (maxStartDelayMs !== undefined && max > maxStartDelayMs) {
    found.push(`I7: a task waited ${max} ms for its first run, allowed are ${maxStartDelayMs} ms`);
  }
  if (earliestStartMs) {
    const early = [...delays].filter(([id, delay]) => delay < earliestStartMs(id));
    if (early.length > 0) found.push(`I7: ${early.length} tasks ran before they were due, such as ${early[0]?.[0]}`);
  }
  if (expected.mostRetriesInBucket) found.push(...crowdedRetries(history, expected.mostRetriesInBucket));
  return found;
}

/** How long tasks have waited that were never started. */
function waitsWithoutEnd({ acked, sentAt, readAt }: History, started: ReadonlyMap<string, number>): number[] {
  return [...acked.keys()].filter((id) => !started.has(id)).map((id) => readAt - (sentAt.get(id) ?? readAt));
}

/** Second attempts that come together, counted by how long they waited. */
function crowdedRetries({ starts }: History, most: { readonly bucketMs: number; readonly share: number }): string[] {
  const first = new Map(starts.filter(({ attempt }) => attempt === 1).map(({ id, t }) => [id, t]));
  const waits = starts.filter(({ attempt }) => attempt === 2).map(({ id, t }) => t - (first.get(id) ?? t));
  const buckets = groupBy(waits, (wait) => String(Math.floor(wait / most.bucketMs)));
  const largest = Math.max(0, ...[...buckets.values()].map(({ length }) => length));
  const share = waits.length === 0 ? 1 : largest / waits.length;
  return share > most.share ? [`I7: ${Math.round(share * 100)} % of the retries came together`] : [];
}

/** Milliseconds between the moment a task was sent and the start of its first run. */
export function startDelays({ sentAt, starts }: History): Map<string, number> {
  const delays = new Map<string, number>();
  for (const { id, t } of starts) {
    const sent = sentAt.get(id);
    if (sent !== undefined && !delays.has(id)) delays.set(id, t - sent);
  }
  return delays;
}

import { groupBy, type History } from './history.js';

export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Faults after which the tasks of one worker are orphans. */
const ORPHANING = new Set(['worker-sigkill', 'worker-sigstop', 'worker-sigterm', 'partition', 'self-kill']);

/**
 * I7: how long the system took to go on. For tasks of a worker that was killed or cut off: until somebody else was handed
 * the task. For faults that hit everybody: from their end until the next hand-out.
 */
export function recoveryTimes(history: History): number[] {
  return [...orphanTimes(history), ...resumeTimes(history)];
}

function orphanTimes(history: History): number[] {
  const byPid = groupBy(history.handouts, ({ pid }) => String(pid));
  const byTask = groupBy(history.handouts, ({ id }) => id);
  const settled = new Set(history.settles.map(({ entryId, fence }) => `${entryId} ${fence}`));
  return history.faults
    .filter(({ fault, victim }) => victim !== undefined && ORPHANING.has(fault))
    .flatMap(({ t, victim }) =>
      (byPid.get(String(victim)) ?? [])
        .filter((line) => line.t <= t && !settled.has(`${line.entryId} ${line.fence}`))
        // What somebody else was handed before the fault was no longer in the hands of its victim.
        .filter(
          (line) => !byTask.get(line.id)?.some((other) => other.t > line.t && other.t <= t && other.pid !== victim),
        )
        .flatMap((line) => {
          const next = (byTask.get(line.id) ?? []).find((other) => other.t > t && other.pid !== victim);
          return next ? [next.t - t] : [];
        }),
    );
}

function resumeTimes(history: History): number[] {
  return history.faults
    .filter(({ until, victim }) => until !== undefined && victim === undefined)
    .flatMap(({ until = 0 }) => {
      const next = history.handouts.find(({ t }) => t > until);
      return next ? [next.t - until] : [];
    });
}

export function spreadOf(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

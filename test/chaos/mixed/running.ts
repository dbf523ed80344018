import { groupBy, isDone, type History } from '../checker/history.js';
import type { Rewound } from '../checker/rewound.js';
import type { OneRun, Runs } from './runs.js';
import { wasOwner } from './runs.js';
import type { MixedTask } from './tasks.js';

/** What was found: its kind, and an example. */
export type Finding = readonly [kind: string, example: string];

/** Two tasks of one key ran at once though both were owned, or made the effect of the key twice though none was lost. */
export function overlaps(tasks: readonly MixedTask[], runs: Runs, rewound: Rewound): Finding[] {
  const keyed = tasks.filter(({ payload }) => payload.looksFirst === true);
  const byKey = groupBy(
    keyed.flatMap(({ id }) => runs.of(id)),
    ({ key }) => key,
  );
  return [...byKey].flatMap(([key, ofKey]) => {
    const found: Finding[] = [];
    const isForgotten = ({ settled }: OneRun) => rewound.covers(settled?.t);
    const owned = ofKey
      .filter((run) => wasOwner(run) && !isForgotten(run) && run.to !== undefined)
      .toSorted((a, b) => a.from - b.from);
    if (owned.some((run, n) => n > 0 && run.from < (owned[n - 1]?.to ?? 0)))
      found.push(['I3: keys under which two tasks ran at once', key]);
    const effects = ofKey.filter(({ isEffect }) => isEffect);
    if (effects.length > 1 && !ofKey.some((run) => run.isLost || isForgotten(run)))
      found.push(['I3: effects of a key that were made twice', key]);
    return found;
  });
}

/** Tasks that ran again though the run before was neither lost nor came to another attempt. */
export function repeats(runs: Runs, history: History, rewound: Rewound): Finding[] {
  return [...runs.byTask].flatMap(([id, ofTask]) => {
    const sorted = ofTask.toSorted((a, b) => a.from - b.from);
    const odd = sorted.find((run, n) => {
      const next = sorted[n + 1];
      return next && !mayRunAgain(run, next, history) && !rewound.covers(run.settled?.t);
    });
    return odd ? [[`I3: tasks that ran again after ${odd.settled?.outcome ?? 'a run that lived'}`, id] as const] : [];
  });
}

/** What a worker may need from a hand-out to the start of the last handler of it, on a busy machine. */
const START_MS = 100;

/**
 * Its worker was stopped between the hand-out and the first line of the handler, where nothing can look at the lease once
 * more, and the task was another worker's when it went on. A task that had waited in its worker has to be looked at.
 */
function wasStoppedAtItsStart({ isLost, pid, handedOutAt, t }: OneRun, { faults }: History): boolean {
  const struck = faults.filter(({ fault, victim }) => fault === 'worker-sigstop' && victim === pid);
  return isLost && struck.some((stop) => stop.t >= handedOutAt - 1 && stop.t <= handedOutAt + START_MS && stop.t <= t);
}

function mayRunAgain({ id, settled, isLost }: OneRun, next: OneRun, history: History): boolean {
  if (isLost || wasStoppedAtItsStart(next, history)) return true;
  if (settled === undefined) return false;
  // Its entry was deleted by hand while it ran, so it became a dead letter. It runs again if it is sent again, and only then.
  if (settled.reply === 'deleted') return (history.added.get(id) ?? []).some((t) => t >= settled.t && t <= next.t);
  return isDone(settled.reply) && ['retry', 'defer', 'release'].includes(settled.outcome);
}

/** Attempts that were begun twice, where nobody died and nothing was lost. */
export function secondBegins(runs: Runs): Finding[] {
  return [...runs.byTask].flatMap(([id, ofTask]) => {
    const attempts = new Set(ofTask.map(({ attempt }) => attempt));
    return attempts.size < ofTask.length ? [['I3: tasks of which an attempt was begun twice', id] as const] : [];
  });
}

/** What a suspect at its last chance may wait to start; what has its key waits for it (worker/isolation.ts). */
const SUSPECT_WAIT_MS = 30_000;

/**
 * Queues in which nothing started for so long while a task waited. Times in which a fault lasted, and for as long again after it,
 * are left out.
 */
export function standstills(tasks: readonly MixedTask[], history: History, runs: Runs, mostMs: number): Finding[] {
  const outages = history.faults.map(({ t, until = t }) => ({ from: t, to: until + (until - t) }));
  const outageIn = (from: number, to: number) =>
    outages.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)), 0);
  const handedOut = new Map(history.handouts.toReversed().map(({ id, t }) => [id, t]));
  return [...groupBy(tasks, ({ queue }) => queue)].flatMap(([queue, ofQueue]) => {
    const starts = ofQueue.flatMap(({ id }) => runs.of(id).map(({ t }) => t)).toSorted((a, b) => a - b);
    const waits = ofQueue.flatMap(({ id, options, payload }) => {
      // One that was delivered and met a crash waits for its lease, and then perhaps for its turn as a suspect.
      const to = handedOut.get(id) ?? runs.of(id)[0]?.t;
      // What was deleted by hand waits from when it was sent again: until then it was a dead letter.
      const from = history.added.get(id)?.findLast((t) => t <= (to ?? 0)) ?? history.acked.get(id);
      return from === undefined || to === undefined || options?.delayMs !== undefined
        ? []
        : [{ id, from, to, isKeyed: payload.looksFirst === true }];
    });
    return starts.slice(1).flatMap((to, n): Finding[] => {
      const from = starts[n] ?? to;
      const stoodMs = to - from - outageIn(from, to);
      if (stoodMs <= mostMs) return [];
      const isTooLong = ({ isKeyed }: { readonly isKeyed: boolean }) => !isKeyed || stoodMs > mostMs + SUSPECT_WAIT_MS;
      const waiting = waits.find((wait) => wait.from <= from && wait.to >= to && isTooLong(wait));
      return waiting ? [[`I7: times in which ${queue} stood still`, `${to - from} ms (${waiting.id})`]] : [];
    });
  });
}

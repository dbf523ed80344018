import { groupBy, isDone, type History } from '../checker/history.js';
import type { OneRun, Runs } from './runs.js';
import { wasOwner } from './runs.js';
import type { MixedTask } from './tasks.js';

/** What was found: its kind, and an example. */
export type Finding = readonly [kind: string, example: string];

/** Two tasks of one key ran at once though both were owned, or made the effect of the key twice though none was lost. */
export function overlaps(tasks: readonly MixedTask[], runs: Runs): Finding[] {
  const keyed = tasks.filter(({ payload }) => payload.looksFirst === true);
  const byKey = groupBy(
    keyed.flatMap(({ id }) => runs.of(id)),
    ({ key }) => key,
  );
  return [...byKey].flatMap(([key, ofKey]) => {
    const found: Finding[] = [];
    const owned = ofKey.filter((run) => wasOwner(run) && run.to !== undefined).toSorted((a, b) => a.from - b.from);
    if (owned.some((run, n) => n > 0 && run.from < (owned[n - 1]?.to ?? 0)))
      found.push(['I3: keys under which two tasks ran at once', key]);
    const effects = ofKey.filter(({ isEffect }) => isEffect);
    if (effects.length > 1 && !ofKey.some(({ isLost }) => isLost))
      found.push(['I3: effects of a key that were made twice', key]);
    return found;
  });
}

/** Tasks that ran again though the run before was neither lost nor came to another attempt. */
export function repeats(runs: Runs, sentAgain: ReadonlySet<string>): Finding[] {
  return [...runs.byTask].flatMap(([id, ofTask]) => {
    if (sentAgain.has(id)) return [];
    const sorted = ofTask.toSorted((a, b) => a.from - b.from);
    const odd = sorted.slice(0, -1).find((run) => !mayRunAgain(run));
    return odd ? [[`I3: tasks that ran again after ${odd.settled?.outcome ?? 'a run that lived'}`, id] as const] : [];
  });
}

function mayRunAgain({ settled, isLost }: OneRun): boolean {
  if (isLost) return true;
  return settled !== undefined && isDone(settled.reply) && ['retry', 'defer', 'release'].includes(settled.outcome);
}

/**
 * Queues in which nothing started for so long while a task waited. Times in which a fault lasted, and for as long again after it,
 * are left out.
 */
export function standstills(tasks: readonly MixedTask[], history: History, runs: Runs, mostMs: number): Finding[] {
  const outages = history.faults.map(({ t, until = t }) => ({ from: t, to: until + (until - t) }));
  const outageIn = (from: number, to: number) =>
    outages.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)), 0);
  return [...groupBy(tasks, ({ queue }) => queue)].flatMap(([queue, ofQueue]) => {
    const starts = ofQueue.flatMap(({ id }) => runs.of(id).map(({ t }) => t)).toSorted((a, b) => a - b);
    const waits = ofQueue.flatMap(({ id, options }) => {
      const from = history.acked.get(id);
      const to = runs.of(id)[0]?.t;
      return from === undefined || to === undefined || options?.delayMs !== undefined ? [] : [{ id, from, to }];
    });
    return starts.slice(1).flatMap((to, n): Finding[] => {
      const from = starts[n] ?? to;
      if (to - from - outageIn(from, to) <= mostMs) return [];
      const waiting = waits.find((wait) => wait.from <= from && wait.to >= to);
      return waiting ? [[`I7: times in which ${queue} stood still`, `${to - from} ms (${waiting.id})`]] : [];
    });
  });
}

import { ends } from '../checker/fences.js';
import { groupBy, History } from '../checker/history.js';
import type { Bench } from '../harness/bench.js';
import { readLedger } from '../harness/ledger.js';

/**
 * With fsync every second: while an fsync is under way Redis answers and puts off the write itself, for so long at most
 * (flushAppendOnlyFile in aof.c). What it has put off dies with the process.
 */
export const PUT_OFF_MS = 2_000;

/** When what Redis answered may not have come to its file. */
export interface LostWindow {
  readonly from: number;
  readonly until: number;
}

/** What is gone, or was made again, was answered in such a window; nothing else may be. */
export async function tellLosses(bench: Bench, windows: readonly LostWindow[]): Promise<void> {
  const isOutside = (t: number) => !windows.some(({ from, until }) => t >= from && t <= until);
  const { acked, settles } = new History(readLedger(bench.ledgerDir));
  const states = await bench.watch.states([...acked.keys()]);
  const lost = [...acked].filter(([id]) => !states.has(id));
  const strangers = lost.filter(([, t]) => isOutside(t));
  bench.check('only tasks of a lost time are gone', strangers.length === 0, strangers.length);
  const done = settles.filter((line) => ends(line) && line.reply === 'done');
  const earlier = [...groupBy(done, ({ entryId }) => entryId).values()].flatMap((lines) =>
    lines.toSorted((a, b) => a.t - b.t).slice(0, -1),
  );
  const early = earlier.filter(({ t }) => isOutside(t));
  bench.check('only settlements of a lost time were made again', early.length === 0, early.length);
  bench.note(`${lost.length} accepted tasks are gone, and ${earlier.length} settlements were made twice`);
}

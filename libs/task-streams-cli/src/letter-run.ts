import type { Command } from 'commander';
import type { DeadLetterSelection, LetterActionReport } from 'nestjs-task-streams';
import type { TaskStreamsAdmin } from 'nestjs-task-streams/admin';
import { showCounts, showProblems } from './letter-report.js';
import { showNumber } from './output/format.js';
import type { Output } from './output/output.js';
import { Progress } from './output/progress.js';
import { decimal } from './parse/values.js';

/** Options of an action on many letters. */
export interface LetterRunOptions {
  readonly rate?: number;
  readonly resume?: string;
}

/** Adds them. */
export function addLetterRun(command: Command, defaultRate = 'Default 100'): Command {
  return command
    .option('--rate <count>', `letters a second. ${defaultRate}`, decimal(0.1, 100_000))
    .option('--resume <cursor>', 'go on where an earlier one stopped, as that one said');
}

/** How many letters there are to look at, where that is cheap to know. */
export async function countOf(
  admin: TaskStreamsAdmin,
  queue: string,
  selection: DeadLetterSelection,
): Promise<number | undefined> {
  if (Array.isArray(selection)) return selection.length;
  const names = Object.keys(selection);
  if (names.length === 0) return admin.letters.count(queue);
  const { fingerprint } = selection as { readonly fingerprint?: string };
  if (names.length > 1 || fingerprint === undefined) return undefined;
  return (await admin.letters.groups(queue)).find(({ id }) => id === fingerprint)?.count;
}

/** The ids of the first letters of a selection. */
export async function firstOf(
  admin: TaskStreamsAdmin,
  queue: string,
  selection: DeadLetterSelection,
  max: number,
): Promise<readonly string[]> {
  if (isIds(selection)) return selection.slice(0, max);
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await admin.letters.list(queue, { ...selection, cursor, limit: Math.min(1_000, max - ids.length) });
    ids.push(...page.letters.flatMap(({ entryId }) => entryId ?? []));
    cursor = page.cursor;
  } while (cursor !== undefined && ids.length < max);
  return ids;
}

/** Follows an action to its end, and shows how far it is. */
export async function followLetters(
  out: Output,
  steps: AsyncGenerator<LetterActionReport, LetterActionReport>,
  { verb, total }: { readonly verb: string; readonly total: number | undefined },
): Promise<LetterActionReport> {
  const progress = new Progress(out, verb, total);
  let last: LetterActionReport | undefined;
  try {
    for (;;) {
      const step = await steps.next();
      last = step.value;
      if (step.done) return step.value;
      progress.show(step.value);
    }
  } catch (error) {
    progress.end();
    if (last?.cursor !== undefined) {
      out.note(`${showNumber(last.done)} were ${verb}. Go on with the same command and --resume ${last.cursor}`);
    }
    throw error;
  } finally {
    progress.end();
  }
}

interface End {
  readonly queue: string;
  /** Letters of the queue that are there now. */
  readonly left: number;
  readonly verb: string;
  readonly isStopped: boolean;
}

/** Tells what an action came to, as the scripts that did it answered. */
export async function endOf(out: Output, report: LetterActionReport, end: End): Promise<void> {
  const { queue, left, verb, isStopped } = end;
  if (out.isJson) return out.json({ ...report, isStopped: isStopped && report.cursor !== undefined, left });
  const { done, matched, refused, refusals, failed, problems, cursor, operation } = report;
  await out.line(`${verb} ${showNumber(done)} of ${showNumber(matched)} dead letters of queue "${queue}".`);
  if (refused > 0) await out.line(`Refused ${showNumber(refused)}: ${showCounts(refusals)}.`);
  if (failed > 0) await out.line(out.paint('red', `Failed ${showNumber(failed)}.`));
  await showProblems(out, problems);
  await out.line(`The queue has ${showNumber(left)} dead letters now. In the audit log: operation ${operation}.`);
  if (isStopped && cursor !== undefined) {
    out.note(`Stopped before the end. Go on with the same command and --resume ${cursor}`);
  }
}

function isIds(selection: DeadLetterSelection): selection is readonly string[] {
  return Array.isArray(selection);
}

import type { LetterProblem, RedrivePreview } from 'nestjs-task-streams';
import { showNumber } from './output/format.js';
import type { Output } from './output/output.js';

const MAX_SHOWN = 10;

/** `2 succeeded, 1 live`. */
export function showCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${showNumber(count)} ${name}`)
    .join(', ');
}

/** The first letters that stay, and why. */
export async function showProblems(out: Output, problems: readonly LetterProblem[]): Promise<void> {
  if (problems.length === 0) return;
  const shown = problems.slice(0, MAX_SHOWN);
  await out.table(
    [{ title: 'LETTER' }, { title: 'TASK ID', least: 8 }, { title: 'WHY' }, { title: 'DETAIL', least: 10 }],
    shown.map(({ entryId, taskId, reason, detail }) => [entryId, taskId, reason, detail]),
  );
  if (problems.length > shown.length) out.note(`These are the first ${shown.length}; --json has up to 100.`);
}

/** What a redrive would do. Payloads are not shown. */
export async function showPreview(out: Output, queue: string, preview: RedrivePreview): Promise<void> {
  if (out.isJson) {
    const samples = preview.samples.map(({ entryId, taskId, name, reason }) => ({ entryId, taskId, name, reason }));
    return out.json({ ...preview, samples });
  }
  const { matched, movable, refused, refusals, failed } = preview;
  await out.line(
    `Of the dead letters of queue "${queue}" ${showNumber(matched)} match; ${showNumber(movable)} would go back.`,
  );
  if (refused > 0) await out.line(`Refused ${showNumber(refused)}: ${showCounts(refusals)}.`);
  if (failed > 0) await out.line(out.paint('red', `Failed ${showNumber(failed)}.`));
  await showShares(out, preview);
  await showProblems(out, preview.problems);
  out.note(
    preview.isComplete ? 'Nothing was done: this was a dry run.' : 'It was stopped before it had seen them all.',
  );
}

async function showShares(out: Output, { byTask, byReason, byGroup }: RedrivePreview): Promise<void> {
  const rows = [
    ...Object.entries(byTask).map(([name, count]) => ['task', name, count] as const),
    ...Object.entries(byReason).map(([name, count]) => ['reason', name, count] as const),
    ...byGroup.slice(0, MAX_SHOWN).map(({ group, count }) => ['group', group, count] as const),
  ];
  if (rows.length === 0) return;
  await out.table(
    [{ title: 'BY' }, { title: 'WHAT', least: 16 }, { title: 'COUNT', align: 'right' }],
    rows.map(([by, name, count]) => [by, name, showNumber(count)]),
  );
}

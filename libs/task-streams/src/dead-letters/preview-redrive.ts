import type { DeadLetterStore } from '../contracts/dead-letter-store.interface.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { parseQuery, type DeadLetterQuery, type DeadLetterSelection } from './dead-letter-query.js';
import { DEFAULT_MAX_REDRIVES, planRedrive, problemOf, type PlanContext } from './plan-redrive.js';
import { PreviewCounts, type RedrivePreview } from './preview-counts.js';
import { isAfter } from './scan-letters.js';
import { isIds, selectLetters } from './select-letters.js';

/**
 * How far a preview is.
 *
 * @publicApi
 */
export interface PreviewProgress {
  /** Letters that it has looked at, of all that the queue has. */
  readonly lookedAt: number;
  /** Of those, the ones that are selected. */
  readonly matched: number;
}

/** @publicApi */
export interface PreviewWatch {
  /** Stops it after the step that is on its way. */
  readonly signal?: AbortSignal | undefined;
  /** Hears how far it is, after each step. */
  readonly onProgress?: ((progress: PreviewProgress) => void) | undefined;
}

const MAX_SAMPLES = 10;
const MAX_PROBLEMS = 100;

/** Looks at what a redrive would do, patch and checks included. Payloads are read only where there is a patch. */
export async function previewRedrive(
  store: DeadLetterStore,
  queue: string,
  selection: DeadLetterSelection,
  context: PlanContext,
  watch: PreviewWatch,
): Promise<RedrivePreview> {
  if (!isIds(selection) && context.rules.patch === undefined) {
    return previewKinds(store, queue, selection, context, watch);
  }
  const counts = new PreviewCounts();
  const samples: DeadLetter[] = [];
  for await (const { letters, missing, lookedAtCount } of selectLetters(store, queue, selection, undefined)) {
    for (const entryId of missing) {
      counts.tally.addProblem({ entryId, taskId: '', reason: 'gone', detail: 'there is no such dead letter' });
    }
    samples.push(...letters.slice(0, MAX_SAMPLES - samples.length));
    await look(store, queue, letters, context, counts);
    tell(counts, lookedAtCount, watch);
    if (watch.signal?.aborted) return counts.preview(samples, false);
  }
  return counts.preview(samples, true);
}

function tell(counts: PreviewCounts, lookedAtCount: number, { onProgress }: PreviewWatch): void {
  counts.lookedAtCount += lookedAtCount;
  onProgress?.({ lookedAt: counts.lookedAtCount, matched: counts.tally.report(undefined).matched });
}

async function previewKinds(
  store: DeadLetterStore,
  queue: string,
  selection: DeadLetterQuery,
  { rules: { force: isForced = false, maxRedrives = DEFAULT_MAX_REDRIVES } }: PlanContext,
  watch: PreviewWatch,
): Promise<RedrivePreview> {
  const query = parseQuery(selection);
  const counts = new PreviewCounts();
  const samples: string[] = [];
  const [last] = (await store.list(queue, 1, undefined, { isNewestFirst: true })).letters;
  const ask = { isForced, maxRedrives, since: query.since, until: query.until };
  let next: string | undefined;
  let isComplete = true;
  do {
    if (last === undefined) break;
    const [movableCount, stayingCount] = [MAX_SAMPLES - samples.length, MAX_PROBLEMS];
    const range = { ...query.range, to: last.entryId };
    const seen = await store.preview(queue, { ...ask, next, range, movableCount, stayingCount });
    const kinds = seen.kinds.filter(query.matchesKind);
    counts.add(queue, kinds);
    const named = kinds.flatMap(({ first }) => first.map(({ entryId }) => entryId));
    samples.push(...named.toSorted((a, b) => (isAfter(a, b) ? 1 : -1)).slice(0, MAX_SAMPLES - samples.length));
    tell(counts, seen.lookedAtCount, watch);
    next = seen.lateCount > 0 && seen.lateCount === seen.lookedAtCount ? undefined : seen.next;
    isComplete = next === undefined || watch.signal?.aborted !== true;
  } while (next !== undefined && isComplete);
  const letters = await Promise.all(samples.map((entryId) => store.get(queue, entryId)));
  return counts.preview(
    letters.filter((letter) => letter !== undefined),
    isComplete,
  );
}

async function look(
  store: DeadLetterStore,
  queue: string,
  letters: readonly DeadLetter[],
  context: PlanContext,
  counts: PreviewCounts,
): Promise<void> {
  const planned: DeadLetter[] = [];
  for (const letter of letters) {
    counts.see(letter);
    try {
      await planRedrive(letter, context);
      planned.push(letter);
    } catch (error) {
      counts.tally.addProblem(problemOf(letter, error));
    }
  }
  if (planned.length === 0) return;
  const ids = planned.map(({ entryId = '' }) => entryId);
  const verdicts = await store.checkRedrive(queue, ids, context.rules.force === true);
  planned.forEach(({ entryId = '', taskId }, i) => {
    const verdict = verdicts[i];
    if (verdict === 'movable' || verdict === undefined) counts.tally.addDone();
    else counts.tally.addProblem({ entryId, taskId, reason: verdict, detail: '' });
  });
}

import type { DeadLetterStore } from '../contracts/dead-letter-store.interface.js';
import type { DeadLetter, DeadLetterReason } from '../task/dead-letter.js';
import type { DeadLetterSelection } from './dead-letter-query.js';
import { LetterTally, type LetterProblem, type LetterRefusal } from './letter-action.js';
import { planRedrive, problemOf, type PlanContext } from './plan-redrive.js';
import { selectLetters } from './select-letters.js';

/**
 * What a redrive would do. Nothing was written.
 *
 * @publicApi
 */
export interface RedrivePreview {
  /** Letters that are selected. */
  readonly matched: number;
  /** Of those, the ones that would go back to their queue. */
  readonly movable: number;
  readonly refused: number;
  readonly refusals: Readonly<Partial<Record<LetterRefusal, number>>>;
  /** Letters whose patch function threw. */
  readonly failed: number;
  /** The first 100 letters that would stay. */
  readonly problems: readonly LetterProblem[];
  readonly byTask: Readonly<Record<string, number>>;
  readonly byReason: Readonly<Partial<Record<DeadLetterReason, number>>>;
  /** By failure group, largest first, at most 100. */
  readonly byGroup: readonly { readonly group: string; readonly count: number }[];
  /** The first 10 letters that are selected. */
  readonly samples: readonly DeadLetter[];
  /** False when it was stopped by its signal before the end. */
  readonly isComplete: boolean;
}

const MAX_SAMPLES = 10;
const MAX_GROUPS = 100;

/** Looks at what a redrive would do, patch and checks included. */
export async function previewRedrive(
  store: DeadLetterStore,
  queue: string,
  selection: DeadLetterSelection,
  context: PlanContext,
  signal: AbortSignal | undefined,
): Promise<RedrivePreview> {
  const counts = new PreviewCounts();
  for await (const { letters, missing } of selectLetters(store, queue, selection, undefined)) {
    for (const entryId of missing) {
      counts.tally.addProblem({ entryId, taskId: '', reason: 'gone', detail: 'there is no such dead letter' });
    }
    await look(store, queue, letters, context, counts);
    if (signal?.aborted) return counts.preview(false);
  }
  return counts.preview(true);
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

class PreviewCounts {
  readonly tally = new LetterTally('');
  private readonly samples: DeadLetter[] = [];
  private readonly tasks = new Map<string, number>();
  private readonly reasons = new Map<DeadLetterReason, number>();
  private readonly groups = new Map<string, number>();

  see(letter: DeadLetter): void {
    if (this.samples.length < MAX_SAMPLES) this.samples.push(letter);
    count(this.tasks, letter.name);
    count(this.reasons, letter.reason);
    count(this.groups, letter.group ?? letter.fingerprint);
  }

  preview(isComplete: boolean): RedrivePreview {
    const { matched, done: movable, refused, refusals, failed, problems } = this.tally.report(undefined);
    return {
      ...{ matched, movable, refused, refusals, failed, problems, isComplete },
      samples: this.samples,
      byTask: Object.fromEntries(this.tasks),
      byReason: Object.fromEntries(this.reasons) as RedrivePreview['byReason'],
      byGroup: [...this.groups]
        .map(([group, number]) => ({ group, count: number }))
        .sort((a, b) => b.count - a.count)
        .slice(0, MAX_GROUPS),
    };
  }
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

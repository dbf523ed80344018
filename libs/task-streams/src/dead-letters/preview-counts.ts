import type { DeadLetterKind } from '../contracts/dead-letter-store.interface.js';
import type { DeadLetter, DeadLetterReason } from '../task/dead-letter.js';
import { DeadLetterUnreadableError, RedriveRefusedError } from '../task/dead-letter-errors.js';
import { LetterTally, type LetterProblem, type LetterRefusal } from './letter-action.js';
import { problemOf } from './plan-redrive.js';
import { isAfter } from './scan-letters.js';

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
  /** Letters whose patch function threw, or of which Redis cannot tell what it would do. */
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

const MAX_GROUPS = 100;

/** Counts what a redrive would do. */
export class PreviewCounts {
  readonly tally = new LetterTally('');
  lookedAtCount = 0;
  private readonly tasks = new Map<string, number>();
  private readonly reasons = new Map<DeadLetterReason, number>();
  private readonly groups = new Map<string, number>();

  see({ name, reason, group, fingerprint }: CountedParts, number = 1): void {
    count(this.tasks, name, number);
    count(this.reasons, reason, number);
    count(this.groups, group ?? fingerprint, number);
  }

  /** Adds the kinds of one look; letters that are named and would stay are problems, oldest first. */
  add(queue: string, kinds: readonly DeadLetterKind[]): void {
    const problems: LetterProblem[] = [];
    for (const kind of kinds) {
      const { verdict, first } = kind;
      this.see(kind, kind.count);
      if (verdict === 'movable') this.tally.addDone(kind.count);
      else {
        problems.push(...first.map((letter) => problemFor(queue, letter, verdict)));
        this.tally.addUnnamed(verdict, kind.count - first.length);
      }
    }
    for (const one of problems.toSorted((a, b) => (isAfter(a.entryId, b.entryId) ? 1 : -1))) this.tally.addProblem(one);
  }

  preview(samples: readonly DeadLetter[], isComplete: boolean): RedrivePreview {
    const { matched, done: movable, refused, refusals, failed, problems } = this.tally.report(undefined);
    return {
      ...{ matched, movable, refused, refusals, failed, problems, samples, isComplete },
      byTask: Object.fromEntries(this.tasks),
      byReason: Object.fromEntries(this.reasons) as RedrivePreview['byReason'],
      byGroup: [...this.groups]
        .map(([group, number]) => ({ group, count: number }))
        .sort((a, b) => b.count - a.count)
        .slice(0, MAX_GROUPS),
    };
  }
}

type CountedParts = Pick<DeadLetter, 'name' | 'reason' | 'group' | 'fingerprint'>;

function problemFor(
  queue: string,
  { entryId, taskId, detail }: DeadLetterKind['first'][number],
  verdict: LetterProblem['reason'],
): LetterProblem {
  if (verdict === 'unreadable') return problemOf({ entryId, taskId }, new DeadLetterUnreadableError(queue, entryId));
  if (verdict !== 'max-redrives') return { entryId, taskId, reason: verdict, detail };
  return problemOf({ entryId, taskId }, new RedriveRefusedError(queue, entryId, verdict));
}

function count<K>(counts: Map<K, number>, key: K, number: number): void {
  counts.set(key, (counts.get(key) ?? 0) + number);
}

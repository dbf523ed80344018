import type { DeadLetterKind } from '../../contracts/dead-letter-store.interface.js';
import { reasonOf } from './decode-dead-letter.js';

/** Verdict, task, reason, fingerprint, group, error class, how many, and three parts each of the first ones. */
export type RawKind = readonly (string | number)[];
const NAMED_SIZE = 3;

export function decodeKind(raw: RawKind): DeadLetterKind {
  const [verdict, name = '', reason, fingerprint = '', group, errorName = '', count, ...first] =
    raw as readonly string[];
  return {
    verdict: verdict as DeadLetterKind['verdict'],
    ...{ name, fingerprint, ...(group ? { group } : {}) },
    reason: reasonOf(reason),
    error: { name: errorName },
    count: Number(count),
    first: Array.from({ length: first.length / NAMED_SIZE }, (_, i) => {
      const [entryId = '', taskId = '', detail = ''] = first.slice(i * NAMED_SIZE);
      return { entryId, taskId, detail };
    }),
  };
}

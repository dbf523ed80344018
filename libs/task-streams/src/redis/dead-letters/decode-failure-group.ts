import type { FailureGroup } from '../../contracts/dead-letter-store.interface.js';
import { traitsOf, type FailureTraits } from '../../policy/failure-group.js';
import type { DeadLetterInfo } from '../../task/dead-letter.js';

/** What lib/letters.lua takes of a failure: what a preview wants to know of it, and what is shown of its group. */
export function failureArgument(task: string, info: DeadLetterInfo): string {
  const brief = `${info.fingerprint} ${info.redriveCount} ${(info.error?.name ?? '').replaceAll(/[\r\n]/g, ' ')}`;
  return `${brief}\n${JSON.stringify({ ...traitsOf(task, info.error), reason: info.reason })}`;
}

/** Reads a group of the hash `dead:groups`; `undefined` for what another program wrote there. */
export function decodeFailureGroup(id: string, text: string): FailureGroup | undefined {
  const [, count, total, first, last, newest, traits] = /^(\d+) (\d+) (\d+) (\d+) (\S+)\n(.*)$/s.exec(text) ?? [];
  if (traits === undefined) return undefined;
  const { task = '', errorName = '', message = '', frame = '', reason = '' } = parseTraits(traits);
  return {
    id,
    task,
    errorName,
    message,
    frame,
    reason,
    count: Number(count),
    total: Number(total),
    firstSeenAt: Number(first),
    lastSeenAt: Number(last),
    sampleEntryId: newest === '-' ? undefined : newest,
  };
}

function parseTraits(text: string): Partial<FailureTraits & { readonly reason: string }> {
  try {
    return JSON.parse(text) as Partial<FailureTraits>;
  } catch {
    return {};
  }
}

import { wholeNumber } from '../options/check-option.js';
import { InvalidOptionError, UsageError } from '../task/config-errors.js';
import { requireEntryId } from '../task/names.js';
import type { DiscardOptions, ForgetIdsOptions } from './dead-letter-options.js';
import { parseQuery, type DeadLetterSelection } from './dead-letter-query.js';
import { isIds } from './select-letters.js';

export const MAX_RATE = 100_000;

export const requireMaxRedrives = wholeNumber(0, 1_000_000, ' (redrives)');

/** At once, and not when the first letter is looked at. */
export function checkSelection(selection: DeadLetterSelection): DeadLetterSelection {
  if (isIds(selection)) selection.forEach((id) => requireEntryId('Dead letter', id));
  else parseQuery(selection);
  return selection;
}

export function requireRate(rate: number): number {
  if (typeof rate === 'number' && rate >= 0.1 && rate <= MAX_RATE) return rate;
  throw new InvalidOptionError('ratePerSecond', rate, `give a number from 0.1 to ${MAX_RATE}`);
}

export function requireReason(options: DiscardOptions): DiscardOptions {
  if (typeof options?.reason === 'string' && options.reason.trim() !== '') return options;
  throw new UsageError('Letters that are discarded are gone: give a { reason }, which goes into the audit log.');
}

/** What it is called in the audit log: who reads there why a task ran once more must find it. */
export function discardName(name: 'discard' | 'purge', options: ForgetIdsOptions | undefined): string {
  return options?.forgetId === true ? `${name}-and-forget-id` : name;
}

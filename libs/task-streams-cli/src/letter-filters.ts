import { Option, type Command } from 'commander';
import type { DeadLetterQuery, DeadLetterReason, DeadLetterSelection } from 'nestjs-task-streams';
import { DEAD_LETTER_REASONS } from 'nestjs-task-streams/admin';
import { UsageFault } from './faults.js';
import { parseMoment } from './parse/values.js';

/** Which letters, as options. */
export interface FilterOptions {
  readonly task?: string;
  readonly error?: string;
  readonly reason?: DeadLetterReason;
  readonly group?: string;
  readonly since?: Date;
  readonly until?: Date;
}

/** Adds the options that choose letters; together they must all be true of a letter. */
export function addFilters(command: Command): Command {
  return command
    .option('--task <name>', 'letters of this task')
    .option('--error <class>', 'letters of this class of error, such as CardDeclinedError')
    .addOption(new Option('--reason <reason>', 'letters set aside for this reason').choices(DEAD_LETTER_REASONS))
    .option('--group <id>', 'letters of this failure group, see: dlq groups')
    .option('--since <time>', 'set aside then or later: a time, or how long ago, such as 2h', parseMoment1)
    .option('--until <time>', 'set aside then or earlier', parseMoment1);
}

// Commander gives the earlier value as a second argument.
function parseMoment1(text: string): Date {
  return parseMoment(text);
}

/** The options as the library takes them. */
export function queryOf({ task, error, reason, group, since, until }: FilterOptions): DeadLetterQuery {
  const all = { task, errorName: error, reason, fingerprint: group, from: since, to: until };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Whether any letter is left out. */
export function hasFilter(options: FilterOptions): boolean {
  return Object.keys(queryOf(options)).length > 0;
}

/**
 * Which letters an action is for: ids, or a filter, or all. Nobody means all by saying nothing.
 *
 * @throws UsageFault where nothing was said, or two things.
 */
export function selectionOf(
  ids: readonly string[],
  options: FilterOptions & { readonly all?: boolean },
): DeadLetterSelection {
  const given = [ids.length > 0, hasFilter(options), options.all === true].filter(Boolean).length;
  if (given === 0) throw new UsageFault('Say which letters: their ids, a filter such as --group or --task, or --all.');
  if (given > 1) throw new UsageFault('Give ids, or a filter, or --all: one of the three.');
  return ids.length > 0 ? ids : queryOf(options);
}

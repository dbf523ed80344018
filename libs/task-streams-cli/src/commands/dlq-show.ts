import { Option, type Command } from 'commander';
import type { DeadLetterPage, FailureGroup } from 'nestjs-task-streams';
import { action, type Context } from '../context.js';
import { NoFault } from '../faults.js';
import { addFilters, queryOf, type FilterOptions } from '../letter-filters.js';
import { letterJson, showLetter } from '../letter-view.js';
import { showAgo, showNumber } from '../output/format.js';
import { addPaging, noteNextPage, type PagingOptions } from '../paging.js';
import { examples } from './examples.js';

type Letter = DeadLetterPage['letters'][number];

/** The commands that change nothing. */
export function addLetterViews(dlq: Command): void {
  addFilters(addPaging(dlq.command('ls')))
    .argument('<queue>')
    .description('list dead letters; with a filter a page looks at 500 letters and may be short')
    .addOption(new Option('--order <order>', 'which come first').choices(['oldest', 'newest']).default('oldest'))
    .addHelpText(
      'after',
      examples('dlq ls payments', 'dlq ls payments --task payments.debit --error CardDeclinedError --since 2h'),
    )
    .action(action(list));
  dlq
    .command('groups')
    .argument('<queue>')
    .description('list the failures behind the dead letters, the largest first')
    .option('--empty', 'those whose letters are all gone, too', false)
    .addHelpText('after', examples('dlq groups payments', 'dlq groups payments --json'))
    .action(action(groups));
  dlq
    .command('show')
    .argument('<queue>')
    .argument('<id>', 'the id of the letter, see: dlq ls')
    .description('show one dead letter: payload, attempts, errors; the values of secret members are replaced')
    .option('--reveal', 'do not replace them', false)
    .addHelpText('after', examples('dlq show payments 1795973396952-0', 'dlq show payments 1795973396952-0 --reveal'))
    .action(action(show));
}

async function list(
  { admin, out }: Context,
  options: FilterOptions & PagingOptions & { readonly order: 'oldest' | 'newest' },
  queue: string,
): Promise<void> {
  const { limit, after, order } = options;
  const page = await admin.letters.list(queue, { ...queryOf(options), limit, cursor: after, order });
  if (out.isJson) {
    return out.json({ letters: page.letters.map((letter) => letterJson(letter, false)), cursor: page.cursor });
  }
  if (page.letters.length > 0) await out.table(LETTER_COLUMNS, page.letters.map(letterRow));
  else if (page.cursor === undefined) out.note(`Queue "${queue}" has no such dead letter.`);
  else out.note('None of the letters looked at is one of those.');
  noteNextPage(out, page.cursor);
}

const LETTER_COLUMNS = [
  { title: 'ID' },
  { title: 'TASK', least: 8 },
  { title: 'TASK ID', least: 8 },
  { title: 'DIED', align: 'right' },
  { title: 'REASON', least: 10 },
  { title: 'BACK', align: 'right' },
  { title: 'ERROR', least: 10 },
] as const;

function letterRow({ entryId, name, taskId, at, reason, redriveCount, error }: Letter): (string | number)[] {
  const message = error ? `${error.name}: ${error.message}` : '';
  return [entryId ?? '-', name, taskId, showAgo(at), reason, redriveCount, message];
}

async function groups({ admin, out }: Context, { empty }: { readonly empty: boolean }, queue: string): Promise<void> {
  const found = await admin.letters.groups(queue, { includeEmpty: empty });
  if (out.isJson) return out.json(found);
  if (found.length === 0) return out.note(`Queue "${queue}" has no dead letters.`);
  await out.table(GROUP_COLUMNS, found.map(groupRow));
}

const GROUP_COLUMNS = [
  { title: 'GROUP' },
  { title: 'COUNT', align: 'right' },
  { title: 'EVER', align: 'right' },
  { title: 'LAST', align: 'right' },
  { title: 'TASK', least: 8 },
  { title: 'REASON', least: 8 },
  { title: 'ERROR', least: 10 },
] as const;

function groupRow({ id, count, total, lastSeenAt, task, reason, errorName, message }: FailureGroup): string[] {
  const error = errorName === '' ? message : `${errorName}: ${message}`;
  return [id, showNumber(count), showNumber(total), showAgo(lastSeenAt), task, reason, error];
}

async function show(
  { admin, out }: Context,
  { reveal }: { readonly reveal: boolean },
  queue: string,
  id: string,
): Promise<void> {
  const letter = await admin.letters.get(queue, id);
  if (letter === undefined) {
    throw new NoFault(
      `Queue "${queue}" has no dead letter ${id}: it was redriven or discarded, or is past its retention.`,
    );
  }
  if (out.isJson) return out.json(letterJson(letter, reveal));
  await showLetter(out, letter, reveal);
}

import type { Command } from 'commander';
import type {
  DeadLetterSelection,
  LetterActionReport,
  PayloadPatch,
  PreviewProgress,
  PreviewWatch,
  RedrivePreview,
  RedriveRules,
} from 'nestjs-task-streams';
import { confirm } from '../confirm.js';
import { action, type Context } from '../context.js';
import type { ExitCode } from '../exit-code.js';
import { addFilters, selectionOf, type FilterOptions } from '../letter-filters.js';
import { addLetterRun, countOf, endOf, followLetters, firstOf, type LetterRunOptions } from '../letter-run.js';
import { showCounts, showPreview } from '../letter-report.js';
import { Progress } from '../output/progress.js';
import { readJsonArgument } from '../parse/json-argument.js';
import { wholeNumber } from '../parse/values.js';
import { actorOf, addWho, addYes, type WhoOptions } from '../settings.js';
import { UsageFault } from '../faults.js';
import { showCount } from '../output/format.js';
import { examples } from './examples.js';

interface RedriveArguments extends FilterOptions, WhoOptions, LetterRunOptions {
  readonly all: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly patch?: string;
  readonly force: boolean;
  readonly max?: number;
  readonly maxRedrives?: number;
}

const MAX_CHOSEN = 10_000;

/** `dlq redrive`. */
export function addRedrive(dlq: Command): void {
  addYes(addWho(addLetterRun(addFilters(dlq.command('redrive')))))
    .argument('<queue>')
    .argument('[ids...]', 'ids of letters; or a filter, or --all')
    .description('put dead letters back into their queue, oldest first; it can be stopped and begun again at any point')
    .option('--all', 'all letters of the queue', false)
    .option('--dry-run', 'show what it would do, and do nothing', false)
    .option('--patch <json>', 'mend each payload by a JSON merge patch: JSON, or @file, or -')
    .option('--max <count>', 'no more letters than that, the oldest', wholeNumber(1, MAX_CHOSEN))
    .option('--max-redrives <count>', 'leave those that came back so often. Default 5', wholeNumber(0, 1_000_000))
    .option('--force', 'those, too, that came back too often, or whose effect has happened: it happens twice', false)
    .addHelpText(
      'after',
      examples(
        'dlq redrive payments 1795973396952-0',
        'dlq redrive payments --group 9f86d081884c7d65 --dry-run',
        'dlq redrive payments --group 9f86d081884c7d65 --rate 50 --because "the bank is up again"',
        'dlq redrive payments --task payments.debit --since 2h --patch \'{"currency":"EUR"}\' --max 10 --yes',
        'dlq redrive payments --all --yes --json',
      ),
    )
    .action(action(redrive));
}

async function redrive(
  context: Context,
  options: RedriveArguments,
  queue: string,
  ids: readonly string[],
): Promise<ExitCode> {
  const chosen = selectionOf(ids, options);
  const rules = await rulesOf(options);
  const signal = context.interrupted();
  const selection = options.max === undefined ? chosen : await firstOf(context.admin, queue, chosen, options.max);
  const look = (): Promise<RedrivePreview> => lookAt(context, queue, selection, { ...rules, signal });
  if (options.dryRun) {
    const preview = await look();
    await showPreview(context.out, queue, preview);
    return preview.failed > 0 ? 1 : 0;
  }
  const isAsked = ids.length === 0 && !options.yes;
  const total = isAsked ? await ask(await look(), queue) : await countOf(context.admin, queue, selection);
  const steps = context.admin.letters.redriveInSteps(queue, selection, {
    ...rules,
    ...actorOf(options),
    signal,
    cursor: options.resume,
    ...(options.rate === undefined ? {} : { ratePerSecond: options.rate }),
  });
  const report = await followLetters(context.out, steps, { verb: 'moved', total });
  return tell(context, { queue, report, isStopped: signal.aborted, isPicked: ids.length > 0 });
}

/** Shows how many letters it has looked at, of all there are: a filter is held against each. */
async function lookAt(
  { admin, out }: Context,
  queue: string,
  selection: DeadLetterSelection,
  rules: RedriveRules & Pick<PreviewWatch, 'signal'>,
): Promise<RedrivePreview> {
  const total = Array.isArray(selection) ? selection.length : await admin.letters.count(queue);
  const progress = new Progress(out, 'looked at', total);
  try {
    const onProgress = ({ lookedAt }: PreviewProgress) => progress.show({ done: lookedAt, refused: 0, failed: 0 });
    return await admin.letters.previewRedrive(queue, selection, { ...rules, onProgress });
  } finally {
    progress.end();
  }
}

async function ask(preview: RedrivePreview, queue: string): Promise<number> {
  const refused = preview.refused > 0 ? `; ${showCounts(preview.refusals)} would be refused` : '';
  const letters = showCount(preview.matched, 'dead letter');
  await confirm(`${letters} of queue "${queue}" match, ${preview.movable} can go back${refused}.`, false);
  return preview.matched;
}

async function rulesOf({ patch, force, maxRedrives }: RedriveArguments): Promise<{
  readonly force: boolean;
  readonly patch?: PayloadPatch;
  readonly maxRedrives?: number;
}> {
  return {
    force,
    ...(patch === undefined ? {} : { patch: requirePatch(await readJsonArgument('--patch', patch)) }),
    ...(maxRedrives === undefined ? {} : { maxRedrives }),
  };
}

function requirePatch(value: unknown): PayloadPatch {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PayloadPatch;
  throw new UsageFault('--patch is no JSON object: give the members to change, such as {"currency":"EUR"}.');
}

interface Told {
  readonly queue: string;
  readonly report: LetterActionReport;
  readonly isStopped: boolean;
  readonly isPicked: boolean;
}

/** A letter that was asked for by its id and stays is a no; one of many is told of. */
async function tell({ admin, out }: Context, { queue, report, isStopped, isPicked }: Told): Promise<ExitCode> {
  const left = await admin.letters.count(queue);
  await endOf(out, report, { queue, left, verb: 'Moved', isStopped });
  if (isStopped && report.cursor !== undefined) return 130;
  return report.failed > 0 || (isPicked && report.refused > 0) ? 1 : 0;
}

import type { Command } from 'commander';
import { confirm, confirmName } from '../confirm.js';
import { action, type Context } from '../context.js';
import type { ExitCode } from '../exit-code.js';
import { addFilters, selectionOf, type FilterOptions } from '../letter-filters.js';
import { addLetterRun, countOf, endOf, type LetterRunOptions } from '../letter-run.js';
import { DeadLetterNotFoundError } from 'nestjs-task-streams/admin';
import { showCount } from '../output/format.js';
import { Progress } from '../output/progress.js';
import { addWho, addYes, type WhoOptions } from '../settings.js';
import { UsageFault } from '../faults.js';
import { examples } from './examples.js';

type DiscardArguments = WhoOptions & { readonly yes: boolean; readonly forgetId: boolean };

interface PurgeArguments extends FilterOptions, WhoOptions, LetterRunOptions {
  readonly all: boolean;
  readonly confirm?: string;
  readonly forgetId: boolean;
}

const FORGET_ID = [
  '--forget-id',
  'forget the ids of their tasks, too: a task that is sent again with one runs',
] as const;

/** `dlq discard` and `dlq purge`. */
export function addDiscards(dlq: Command): void {
  addYes(addWho(dlq.command('discard')))
    .argument('<queue>')
    .argument('<ids...>', 'ids of letters, see: dlq ls')
    .description('delete some dead letters for good; --because is needed')
    .option(...FORGET_ID, false)
    .addHelpText('after', examples('dlq discard payments 1795973396952-0 --because "settled by hand"'))
    .action(action(discard));
  addWho(addLetterRun(addFilters(dlq.command('purge')), 'Default as fast as it goes'))
    .argument('<queue>')
    .description('delete dead letters that match a filter, or all, for good; --because is needed')
    .option('--all', 'all letters of the queue', false)
    .option(...FORGET_ID, false)
    .option('--confirm <queue>', 'the name of the queue once more; asked for on a terminal')
    .addHelpText(
      'after',
      examples('dlq purge payments --until 2026-01-01 --because "settled by hand" --confirm payments'),
    )
    .action(action(purge));
}

async function discard(
  { admin, out }: Context,
  options: DiscardArguments,
  queue: string,
  ids: readonly string[],
): Promise<ExitCode> {
  const reason = requireWhy(options);
  await confirm(`This deletes ${showCount(ids.length, 'dead letter')} of queue "${queue}" for good.`, options.yes);
  const missing: string[] = [];
  for (const id of ids) {
    try {
      await admin.letters.discard(queue, id, { reason, actor: options.by, forgetId: options.forgetId });
    } catch (error) {
      if (!(error instanceof DeadLetterNotFoundError)) throw error;
      missing.push(id);
    }
  }
  const done = ids.length - missing.length;
  if (out.isJson) await out.json({ queue, discarded: done, missing });
  else await out.line(`Deleted ${showCount(done, 'dead letter')} of queue "${queue}".`);
  for (const id of missing) out.note(`Queue "${queue}" has no dead letter ${id}.`);
  return missing.length > 0 ? 1 : 0;
}

async function purge(context: Context, options: PurgeArguments, queue: string): Promise<ExitCode> {
  const { admin, out } = context;
  const reason = requireWhy(options);
  const selection = selectionOf([], options);
  const total = await countOf(admin, queue, selection);
  const how = total === undefined ? 'the dead letters that match' : showCount(total, 'dead letter');
  const name = await confirmName(`This deletes ${how} of queue "${queue}" for good.`, queue, options.confirm);
  const signal = context.interrupted();
  const progress = new Progress(out, 'deleted', total);
  const report = await admin.letters.purge(queue, selection, {
    confirm: name,
    reason,
    actor: options.by,
    forgetId: options.forgetId,
    signal,
    cursor: options.resume,
    ...(options.rate === undefined ? {} : { ratePerSecond: options.rate }),
    onProgress: (step) => progress.show(step),
  });
  progress.end();
  const isStopped = signal.aborted && report.cursor !== undefined;
  await endOf(out, report, { queue, left: await admin.letters.count(queue), verb: 'Deleted', isStopped });
  if (isStopped) return 130;
  return report.failed > 0 ? 1 : 0;
}

function requireWhy({ because }: WhoOptions): string {
  if (because !== undefined && because.trim() !== '') return because;
  throw new UsageFault('Letters that are deleted are gone: give --because "…", which goes into the audit log.');
}

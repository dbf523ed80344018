import { setTimeout as wait } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { RedisUnavailableError } from 'nestjs-task-streams/admin';
import { action, type Context } from '../context.js';
import type { ExitCode } from '../exit-code.js';
import { clean } from '../output/clean.js';
import { showTime } from '../output/format.js';
import { collectConditions, MEASURES, type Condition } from '../parse/fail-if.js';
import { decimal } from '../parse/values.js';
import { measuresOf, readStats, type QueueStats } from '../read-stats.js';
import { examples } from './examples.js';
import { QUEUE_COLUMNS, queueRow } from './queues.js';

interface StatsOptions {
  readonly watch?: number | true;
  readonly failIf?: readonly Condition[];
}

const DEFAULT_WATCH_SECONDS = 2;

/** `stats`: numbers of queues, once or again and again, and conditions on them. */
export function addStats(program: Command): void {
  program
    .command('stats')
    .argument('[queues...]', 'default all')
    .description('show the numbers of queues')
    .option('--watch [seconds]', 'again and again; default every 2 s', decimal(0.1, 3_600))
    .addOption(
      new Option(
        '--fail-if <condition>',
        `exit with 1 where a queue meets it; may be given several times. Names: ${MEASURES.join(', ')} (ages in seconds)`,
      ).argParser(collectConditions),
    )
    .addHelpText(
      'after',
      examples(
        'stats',
        'stats payments mail --watch',
        'stats --watch 10 --json',
        "stats payments --fail-if 'oldestAge>300' --fail-if 'workers<1'",
      ),
    )
    .action(action(stats));
}

async function stats(context: Context, options: StatsOptions, queues: readonly string[]): Promise<ExitCode> {
  const { failIf = [] } = options;
  if (options.watch !== undefined) {
    const seconds = options.watch === true ? DEFAULT_WATCH_SECONDS : options.watch;
    return watch(context, { queues, failIf, everyMs: seconds * 1_000 });
  }
  const read = await readStats(context.admin, queues);
  await showOnce(context, read);
  return judge(context, read, failIf);
}

async function showOnce({ out }: Context, read: readonly QueueStats[]): Promise<void> {
  if (out.isJson) return out.json(read);
  if (read.length === 0) return out.note('There is no queue yet: one is listed once a process enqueues or works.');
  await out.table(QUEUE_COLUMNS, read.map(queueRow));
}

function judge({ out }: Context, read: readonly QueueStats[], conditions: readonly Condition[]): ExitCode {
  const met = read.flatMap((queue) =>
    conditions
      .filter(({ isMet }) => isMet(measuresOf(queue)))
      .map(({ text, measure }) => `Queue "${clean(queue.queue)}": ${text} (it is ${measuresOf(queue)[measure]})`),
  );
  for (const text of met) out.note(out.paintNote('red', text));
  return met.length > 0 ? 1 : 0;
}

interface Watch {
  readonly queues: readonly string[];
  readonly failIf: readonly Condition[];
  readonly everyMs: number;
}

/** Until Ctrl-C, or a condition is met. Redis may be away meanwhile. */
async function watch(context: Context, { queues, failIf, everyMs }: Watch): Promise<ExitCode> {
  const { admin, out } = context;
  const signal = context.interrupted();
  for (;;) {
    try {
      const read = await readStats(admin, queues);
      await showAgain(context, read, everyMs);
      if (judge(context, read, failIf) === 1) return 1;
    } catch (error) {
      if (!(error instanceof RedisUnavailableError)) throw error;
      out.note(out.paintNote('red', `${error.message} Trying again.`));
    }
    await wait(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return 0;
  }
}

const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

async function showAgain({ out }: Context, read: readonly QueueStats[], everyMs: number): Promise<void> {
  const at = new Date();
  if (out.isJson) return out.jsonLine({ at, queues: read });
  if (!out.isTerminal) {
    for (const queue of read) await out.line(lineOf(at, queue));
    return;
  }
  const title = out.paint('dim', `${showTime(at)}, every ${everyMs / 1_000} s; Ctrl-C ends`);
  const lines = [title, '', ...out.tableLines(QUEUE_COLUMNS, read.map(queueRow))];
  // A line more than the screen has would scroll it.
  const shown = lines.slice(0, out.rows - 1);
  await out.raw(HOME + shown.map((line) => `${line}${CLEAR_LINE}\n`).join('') + CLEAR_BELOW);
}

/** One line of a queue, for a log. */
function lineOf(at: Date, { queue, ...numbers }: QueueStats): string {
  const pairs = Object.entries(numbers).map(([name, value]) => `${name}=${value}`);
  return [at.toISOString(), `queue=${clean(queue)}`, ...pairs].join(' ');
}

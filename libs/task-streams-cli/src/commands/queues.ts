import type { Command } from 'commander';
import type { QueueOverview, RemovalOptions, RemovedCounts } from 'nestjs-task-streams';
import { confirm, confirmName } from '../confirm.js';
import { action, type Context } from '../context.js';
import type { ExitCode } from '../exit-code.js';
import { NoFault } from '../faults.js';
import { showDetails } from '../output/details.js';
import { showCount, showNumber, showSpan } from '../output/format.js';
import { Progress } from '../output/progress.js';
import { pausedText } from '../paused-text.js';
import { readStats, type QueueStats } from '../read-stats.js';
import { actorOf, addWho, addYes, type WhoOptions } from '../settings.js';
import { examples } from './examples.js';

interface YesOptions extends WhoOptions {
  readonly yes: boolean;
}

/** `queues`: shows, stops and empties queues. */
export function addQueues(program: Command): void {
  const queues = program.command('queues').description('show, pause and empty queues');
  queues
    .command('ls')
    .description('list the queues, with how much lies in them')
    .addHelpText('after', examples('queues ls', 'queues ls --json'))
    .action(action(list));
  queues
    .command('show')
    .argument('<queue>')
    .description('show one queue: what lies in it, its dead letters ever, who paused it')
    .addHelpText('after', examples('queues show payments'))
    .action(action(show));
  addWho(queues.command('pause'))
    .argument('<queue>')
    .description('let no worker take a task from a queue; what runs goes on')
    .addHelpText('after', examples('queues pause payments --because "the bank is down"'))
    .action(action(pause));
  addWho(queues.command('resume'))
    .argument('<queue>')
    .description('let the workers of a paused queue go on')
    .addHelpText('after', examples('queues resume payments'))
    .action(action(resume));
  addYes(addWho(queues.command('drain')))
    .argument('<queue>')
    .description('cancel all tasks that wait in a queue; what runs goes on, dead letters stay')
    .option('--delayed', 'those that are delayed or wait for their next attempt, too', false)
    .addHelpText('after', examples('queues drain mail --because "sent twice" --yes'))
    .action(action(drain));
  addWho(queues.command('purge'))
    .argument('<queue>')
    .description('remove all waiting and delayed tasks and all dead letters of a queue, for good')
    .option('--confirm <queue>', 'the name of the queue once more; asked for on a terminal')
    .addHelpText('after', examples('queues purge mail --confirm mail'))
    .action(action(purge));
}

async function list({ admin, out }: Context): Promise<void> {
  const stats = await readStats(admin, []);
  if (out.isJson) return out.json(stats);
  if (stats.length === 0) return out.note('There is no queue yet: one is listed once a process enqueues or works.');
  await out.table(QUEUE_COLUMNS, stats.map(queueRow));
}

export const QUEUE_COLUMNS = [
  { title: 'QUEUE', least: 12 },
  { title: 'WAITING', align: 'right' },
  { title: 'ACTIVE', align: 'right' },
  { title: 'DELAYED', align: 'right' },
  { title: 'DEAD', align: 'right' },
  { title: 'OLDEST', align: 'right' },
  { title: 'WORKERS', align: 'right' },
  { title: 'STATE' },
] as const;

/** A queue as a row of {@link QUEUE_COLUMNS}. */
export function queueRow(stats: QueueStats): (string | number | { text: string; style: 'red' | 'yellow' | 'dim' })[] {
  const { queue, waiting, active, delayed, dead, oldestAge, workers, paused } = stats;
  const isAlone = workers === 0 && waiting > 0;
  return [
    queue,
    showNumber(waiting),
    showNumber(active),
    showNumber(delayed),
    dead > 0 ? { text: showNumber(dead), style: 'red' } : '0',
    waiting > 0 ? showSpan(oldestAge * 1_000) : '-',
    isAlone ? { text: '0', style: 'red' } : showNumber(workers),
    paused ? { text: 'paused', style: 'yellow' } : isAlone ? { text: 'no worker', style: 'red' } : '',
  ];
}

async function show({ admin, out }: Context, _: object, queue: string): Promise<void> {
  const overview = await admin.queues.inspect(queue);
  const [[stats], totals] = await Promise.all([readStats(admin, [queue]), admin.letters.totals(queue)]);
  await requireQueue(admin, overview, totals.added + totals.imported);
  const workers = stats?.workers ?? 0;
  if (out.isJson) return out.json({ ...overview, workers, deadLetters: totals });
  const { waiting, active, delayed, dead, oldestWaitingMs, paused } = overview;
  await showDetails(out, [
    ['queue', queue],
    ['waiting', `${showNumber(waiting)}${waiting > 0 ? `, the oldest for ${showSpan(oldestWaitingMs)}` : ''}`],
    ['active', showNumber(active)],
    ['delayed', showNumber(delayed)],
    ['dead letters', showNumber(dead)],
    [
      'ever',
      `${showNumber(totals.added)} dead, ${showNumber(totals.imported)} imported, ${showNumber(totals.redriven)} redriven`,
    ],
    ['', `${showNumber(totals.discarded)} discarded, ${showNumber(totals.dropped)} dropped by retention`],
    ['workers', showNumber(workers)],
    ['paused', paused && pausedText(paused)],
  ]);
}

/** A queue is known by its name in the list, or by what lies in it. */
async function requireQueue(
  admin: Context['admin'],
  { queue, waiting, active, delayed, dead, paused }: QueueOverview,
  everDead: number,
): Promise<void> {
  if (waiting + active + delayed + dead + everDead > 0 || paused !== undefined) return;
  if ((await admin.queues.queues()).includes(queue)) return;
  throw new NoFault(`There is no queue "${queue}": see task-streams queues ls.`);
}

async function pause({ admin, out }: Context, options: WhoOptions, queue: string): Promise<void> {
  const isChanged = await admin.control.pause(queue, actorOf(options));
  const who = await admin.control.getPause(queue);
  if (out.isJson) return out.json({ queue, isPaused: true, isChanged, paused: who });
  const was = who === undefined ? '' : ` ${pausedText(who)}`;
  await out.line(isChanged ? `Queue "${queue}" is paused.` : `Queue "${queue}" was paused already${was}.`);
}

async function resume({ admin, out }: Context, options: WhoOptions, queue: string): Promise<void> {
  const isChanged = await admin.control.resume(queue, actorOf(options));
  if (out.isJson) return out.json({ queue, isPaused: false, isChanged });
  await out.line(isChanged ? `Queue "${queue}" goes on.` : `Queue "${queue}" was not paused.`);
}

async function drain(
  context: Context,
  options: YesOptions & { readonly delayed: boolean },
  queue: string,
): Promise<ExitCode> {
  const { admin, out } = context;
  const { waiting, delayed } = await admin.queues.inspect(queue);
  const those = options.delayed ? ` and ${showNumber(delayed)} delayed` : '';
  await confirm(
    `Queue "${queue}" has ${showNumber(waiting)} waiting${those} tasks, which will be cancelled.`,
    options.yes,
  );
  const total = waiting + (options.delayed ? delayed : 0);
  const { removed, isStopped } = await follow(context, 'cancelled', total, (watch) =>
    admin.control.drain(queue, { ...actorOf(options), ...watch, delayed: options.delayed }),
  );
  if (out.isJson) await out.json({ queue, removed, isStopped });
  else {
    const counts = `${showNumber(removed.waiting)} waiting and ${showCount(removed.delayed, 'delayed task')}`;
    await out.line(`Cancelled ${counts}${isStopped ? ', then stopped: the rest is as it was' : ''}.`);
  }
  return isStopped ? 130 : 0;
}

/** Shows how far it is, and ends it where the user wants that. */
async function follow(
  context: Context,
  verb: string,
  total: number,
  run: (watch: Pick<RemovalOptions, 'signal' | 'onProgress'>) => Promise<RemovedCounts>,
): Promise<{ readonly removed: RemovedCounts; readonly isStopped: boolean }> {
  const progress = new Progress(context.out, verb, total);
  const signal = context.interrupted();
  const onProgress = ({ waiting, delayed, dead }: RemovedCounts): void =>
    progress.show({ done: waiting + delayed + dead, refused: 0, failed: 0 });
  try {
    return { removed: await run({ signal, onProgress }), isStopped: signal.aborted };
  } finally {
    progress.end();
  }
}

async function purge(
  context: Context,
  options: WhoOptions & { readonly confirm?: string },
  queue: string,
): Promise<ExitCode> {
  const { admin, out } = context;
  const { waiting, delayed, dead } = await admin.queues.inspect(queue);
  const what = `${showNumber(waiting)} waiting, ${showNumber(delayed)} delayed tasks and ${showCount(dead, 'dead letter')}`;
  const question = `This removes ${what} of queue "${queue}" for good.`;
  const name = await confirmName(question, queue, options.confirm);
  const { removed, isStopped } = await follow(context, 'removed', waiting + delayed + dead, (watch) =>
    admin.control.purge(queue, { ...actorOf(options), ...watch, confirm: name }),
  );
  if (out.isJson) await out.json({ queue, removed, isStopped });
  else {
    const counts = `${showNumber(removed.waiting)} waiting, ${showCount(removed.delayed, 'delayed task')}`;
    const rest = isStopped ? ', then stopped: the rest is as it was' : '';
    await out.line(`Removed ${counts}, ${showCount(removed.dead, 'dead letter')}${rest}.`);
  }
  return isStopped ? 130 : 0;
}

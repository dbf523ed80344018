import type { Command } from 'commander';
import type { RescheduleReply } from 'nestjs-task-streams';
import { action, type Context } from '../context.js';
import type { ExitCode } from '../exit-code.js';
import { NoFault, UsageFault } from '../faults.js';
import { findLetter } from '../find-letter.js';
import { showTime } from '../output/format.js';
import { parseSpan, parseTime } from '../parse/values.js';
import { actorOf, addWho, type WhoOptions } from '../settings.js';
import { requireTask, TASK_ARGUMENTS, taskOf, unknownTask } from '../task-address.js';
import { examples } from './examples.js';

interface RescheduleArguments extends WhoOptions {
  readonly delay?: number;
  readonly at?: Date;
}

/** The commands that change one task. */
export function addTaskChanges(tasks: Command): void {
  addTaskCommand(tasks, 'cancel')
    .description('cancel a task; one that runs is told to stop')
    .addHelpText('after', examples('tasks cancel payments order-17 --because "sent twice"'))
    .action(action(cancel));
  addTaskCommand(tasks, 'retry')
    .description('run a task again that failed: now, where it waits for its next attempt; redriven, where it is dead')
    .option('--force', 'redrive it where it came back too often, or is done already', false)
    .addHelpText('after', examples('tasks retry payments order-17'))
    .action(action(retry));
  addTaskCommand(tasks, 'promote')
    .description('run a task now that is delayed, or waits for its next attempt')
    .addHelpText('after', examples('tasks promote payments order-17'))
    .action(action(promote));
  addTaskCommand(tasks, 'reschedule')
    .description('give a task that is delayed, or waits for its next attempt, another time')
    .option('--delay <span>', 'from now, such as 10m', parseSpan)
    .option('--at <time>', 'when, such as 2026-12-24T18:00:00Z', parseTime)
    .addHelpText('after', examples('tasks reschedule payments order-17 --delay 2h'))
    .action(action(reschedule));
}

function addTaskCommand(tasks: Command, name: string): Command {
  const [queue, id] = TASK_ARGUMENTS;
  return addWho(tasks.command(name))
    .argument(...queue)
    .argument(...id);
}

const CANCELLED = {
  cancelled: 'It is cancelled, and will not run.',
  requested: 'It runs, and was told to stop: it ends as cancelled unless it completes all the same.',
} as const;

async function cancel(
  { admin, out }: Context,
  options: WhoOptions,
  queue: string,
  id: string | undefined,
): Promise<ExitCode | void> {
  const reply = await admin.tasks.cancel(taskOf(queue, id), actorOf(options));
  if (reply.kind === 'unknown') throw unknownTask(queue, id);
  if (reply.kind === 'already-ended') throw new NoFault(`It has ended already: it is ${reply.state}.`);
  if (out.isJson) return out.json(reply);
  await out.line(CANCELLED[reply.kind]);
}

async function promote(
  { admin, out }: Context,
  options: WhoOptions,
  queue: string,
  id: string | undefined,
): Promise<void> {
  const reply = await admin.tasks.promote(taskOf(queue, id), actorOf(options));
  await sayMoved(out, requireMoved(reply, queue, id));
}

async function reschedule(
  { admin, out }: Context,
  options: RescheduleArguments,
  queue: string,
  id: string | undefined,
): Promise<void> {
  const { delay, at } = options;
  if ((delay === undefined) === (at === undefined)) throw new UsageFault('Give --delay or --at, and one of them only.');
  const due = delay === undefined ? { runAt: at as Date } : { delayMs: delay };
  const reply = await admin.tasks.reschedule(taskOf(queue, id), { ...actorOf(options), ...due });
  await sayMoved(out, requireMoved(reply, queue, id));
}

type Moved = Extract<RescheduleReply, { kind: 'promoted' | 'rescheduled' }>;

function requireMoved(reply: RescheduleReply, queue: string, id: string | undefined): Moved {
  if (reply.kind === 'unknown') throw unknownTask(queue, id);
  if (reply.kind === 'not-delayed') throw new NoFault(`It does not wait for a time: it is ${reply.state}.`);
  return reply;
}

async function sayMoved(out: Context['out'], reply: Moved): Promise<void> {
  if (out.isJson) return out.json(reply);
  await out.line(reply.kind === 'promoted' ? 'It waits for a worker now.' : `It runs at ${showTime(reply.runAt)}.`);
}

async function retry(
  { admin, out }: Context,
  options: WhoOptions & { readonly force: boolean },
  queue: string,
  id: string | undefined,
): Promise<void> {
  const task = await requireTask(admin, queue, id);
  if (task.state === 'retrying' || task.state === 'delayed') {
    requireMoved(await admin.tasks.promote(task.ref, actorOf(options)), task.queue, task.id);
    if (out.isJson) return out.json({ kind: 'promoted', ref: task.ref });
    return out.line(`It was ${task.state}, and waits for a worker now.`);
  }
  if (task.state !== 'dead') throw new NoFault(`There is nothing to run again: it is ${task.state}.`);
  const letter = await findLetter(admin, task);
  await admin.letters.redrive(task.queue, letter, { ...actorOf(options), force: options.force });
  if (out.isJson) return out.json({ kind: 'redriven', ref: task.ref, letter });
  await out.line(`It was dead, and is redriven: it waits for a worker now.`);
}

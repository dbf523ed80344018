import { Option, type Command } from 'commander';
import type { ListableState, TaskSnapshot } from 'nestjs-task-streams';
import { action, type Context } from '../context.js';
import { showBlock, showDetails } from '../output/details.js';
import { showAgo, showSpan, showTime } from '../output/format.js';
import { clean } from '../output/clean.js';
import { hideSecrets } from '../output/secrets.js';
import { addPaging, noteNextPage, type PagingOptions } from '../paging.js';
import { requireTask, TASK_ARGUMENTS } from '../task-address.js';
import { examples } from './examples.js';

const STATES: readonly ListableState[] = ['waiting', 'active', 'delayed', 'retrying', 'dead'];

/** The commands that change nothing. */
export function addTaskLists(tasks: Command): void {
  const [queue, id] = TASK_ARGUMENTS;
  addPaging(tasks.command('ls'), 100)
    .argument('<queue>')
    .description('list tasks of a queue; of those that ended only the records are kept, see: tasks show')
    .addOption(new Option('--state <state>', 'which tasks').choices(STATES).default('waiting'))
    .addHelpText('after', examples('tasks ls payments', 'tasks ls payments --state retrying --json'))
    .action(action(list));
  tasks
    .command('show')
    .argument(...queue)
    .argument(...id)
    .description('show what is known of a task; the values of secret members are replaced')
    .option('--reveal', 'do not replace them', false)
    .addHelpText('after', examples('tasks show payments order-17', 'tasks show payments~0~order-17 --json'))
    .action(action(show));
  tasks
    .command('logs')
    .argument(...queue)
    .argument(...id)
    .description('show the last 100 lines that the handler of a task wrote')
    .addHelpText('after', examples('tasks logs payments order-17'))
    .action(action(logs));
}

async function list(
  { admin, out }: Context,
  { state, limit, after }: PagingOptions & { readonly state: ListableState },
  queue: string,
): Promise<void> {
  const page = await admin.tasks.list(queue, { state, limit, cursor: after });
  if (out.isJson) {
    return out.json({ tasks: page.tasks.map((task) => withoutSecrets(task, false)), cursor: page.cursor });
  }
  if (page.tasks.length > 0) await out.table(COLUMNS, page.tasks.map(row));
  else if (page.cursor === undefined) out.note(`Queue "${queue}" has no task that is ${state}.`);
  noteNextPage(out, page.cursor);
}

const COLUMNS = [
  { title: 'ID', least: 12 },
  { title: 'TASK', least: 8 },
  { title: 'ENQUEUED', align: 'right' },
  { title: 'FAILED', align: 'right' },
  { title: 'NEXT', align: 'right' },
  { title: 'ERROR', least: 10 },
] as const;

function row({ id, name, enqueuedAt, failedAttempts, runAt, error }: TaskSnapshot): (string | number)[] {
  const next = runAt === undefined ? '-' : `in ${showSpan(runAt.getTime() - Date.now())}`;
  return [id, name, showAgo(enqueuedAt), failedAttempts, next, error ? `${error.name}: ${error.message}` : ''];
}

async function show(
  { admin, out }: Context,
  { reveal }: { readonly reveal: boolean },
  queue: string,
  id: string | undefined,
): Promise<void> {
  const task = withoutSecrets(await requireTask(admin, queue, id), reveal);
  if (out.isJson) return out.json(task);
  const { error, result, progress, cancel } = task;
  await showDetails(out, [
    ['task', task.name],
    ['id', task.id],
    ['queue', task.queue],
    ['ref', task.ref],
    ['state', task.state],
    ['failed attempts', task.failedAttempts],
    ['deliveries', deliveries(task)],
    ['enqueued', moment(task.enqueuedAt)],
    ['started', moment(task.startedAt)],
    ['finished', moment(task.finishedAt)],
    ['runs next', task.runAt && `${showTime(task.runAt)} (in ${showSpan(task.runAt.getTime() - Date.now())})`],
    ['cancelled', cancel && `by ${cancel.by ?? 'somebody'}${cancel.reason === undefined ? '' : `: ${cancel.reason}`}`],
    ['no result', task.resultOmitted],
  ]);
  if (progress !== undefined) await showBlock(out, 'progress', JSON.stringify(progress, undefined, 2));
  if (result !== undefined) await showBlock(out, 'result', JSON.stringify(result, undefined, 2));
  if (error) await showBlock(out, 'error', error.stack ?? `${error.name}: ${error.message}`);
  if (error?.details !== undefined) await showBlock(out, 'details', JSON.stringify(error.details, undefined, 2));
  if (task.state === 'dead')
    out.note(`Its payload and attempts: task-streams dlq ls ${task.queue} --task ${task.name}`);
}

/** One that was released does not count. */
function deliveries({ deliveryCount, startedAt }: TaskSnapshot): string {
  return deliveryCount === 0 && startedAt ? '0 (one that was released is not counted)' : `${deliveryCount}`;
}

function moment(time: Date | undefined): string | undefined {
  return time && `${showTime(time)} (${showAgo(time)})`;
}

function withoutSecrets(task: TaskSnapshot, isRevealed: boolean): TaskSnapshot {
  const { progress, result, error } = task;
  return {
    ...task,
    progress: hideSecrets(progress, isRevealed),
    result: hideSecrets(result, isRevealed),
    error: error && {
      ...error,
      ...(error.details === undefined ? {} : { details: hideSecrets(error.details, isRevealed) }),
    },
  };
}

async function logs({ admin, out }: Context, _: object, queue: string, id: string | undefined): Promise<void> {
  const task = await requireTask(admin, queue, id);
  const lines = await admin.tasks.logs(task.ref);
  if (out.isJson) return out.json(lines);
  if (lines.length === 0) return out.note('Its handler wrote no line, or they are past their retention.');
  for (const { at, attempt, text } of lines) {
    await out.line(`${out.paint('dim', `${at.toISOString()} attempt ${attempt}`)}  ${clean(text)}`);
  }
}

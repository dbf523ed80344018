import type { Command } from 'commander';
import type { TaskChange } from 'nestjs-task-streams';
import { action, type Context } from '../context.js';
import { clean } from '../output/clean.js';
import { hideSecrets } from '../output/secrets.js';
import { examples } from './examples.js';

interface EventsOptions {
  readonly task?: string;
  readonly after?: string;
}

/** `events`: follows a queue. */
export function addEvents(program: Command): void {
  program
    .command('events')
    .argument('<queue>')
    .description('follow what happens to the tasks of a queue, in processes that have its option `events` on')
    .option('--task <id>', 'one task only; ends with it')
    .option('--after <cursor>', 'go on behind this change; default from now on')
    .addHelpText('after', examples('events payments', 'events payments --task order-17 --json'))
    .action(action(follow, { queues: (queue: string) => ({ [queue]: { events: true } }) }));
}

async function follow({ admin, out, interrupted }: Context, options: EventsOptions, queue: string): Promise<void> {
  const changes = admin.tasks.events({ queue, taskId: options.task, after: options.after });
  const signal = interrupted();
  if (out.isNoteTerminal) out.note(`Following queue "${clean(queue)}"; Ctrl-C ends`);
  if (!(await admin.hasEvents(queue))) {
    out.note(
      `Queue "${clean(queue)}" has no events yet: they are written by processes that have the option ` +
        `queues: { '${clean(queue)}': { events: true } }. Waiting for the first one.`,
    );
  }
  let shown = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const subscription = changes.subscribe({
      next: (change) => {
        shown = shown.then(() => showChange(out, change));
      },
      error: reject,
      complete: resolve,
    });
    signal.addEventListener('abort', () => {
      subscription.unsubscribe();
      resolve();
    });
  });
  await shown;
}

async function showChange(out: Context['out'], change: TaskChange): Promise<void> {
  const details = hideSecrets(change.details, false);
  if (out.isJson) return out.jsonLine({ ...change, details });
  const more = details === undefined ? '' : ` ${clean(JSON.stringify(details))}`;
  const { at, kind, name, taskId } = change;
  await out.line(
    `${out.paint('dim', at.toISOString())} ${clean(kind).padEnd(12)} ${clean(name)} ${clean(taskId)}${more}`,
  );
}

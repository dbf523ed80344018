import type { Command } from 'commander';
import { confirm } from '../confirm.js';
import { action, type Context } from '../context.js';
import { NoFault } from '../faults.js';
import { actorOf, addWho, addYes, type WhoOptions } from '../settings.js';
import { examples } from './examples.js';

type ForgetIdArguments = WhoOptions & { readonly yes: boolean };

/** `tasks forget-id`. */
export function addForgetId(tasks: Command): void {
  addYes(addWho(tasks.command('forget-id')))
    .argument('<queue>')
    .argument('<id>', 'the id of a task that has ended')
    .description('forget the id of a task that has ended; the next task that is enqueued with it runs')
    .addHelpText('after', examples('tasks forget-id payments order-7 --because "discarded by mistake"'))
    .action(action(forgetId));
}

async function forgetId({ admin, out }: Context, options: ForgetIdArguments, queue: string, id: string): Promise<void> {
  const task = `Task ${id} of queue "${queue}"`;
  await confirm(`${task} can be enqueued again after this: its effect can happen a second time.`, options.yes);
  const { kind, state } = await admin.control.forgetId(queue, id, actorOf(options));
  if (out.isJson) await out.json({ queue, id, kind, state });
  if (kind === 'busy') {
    const cure = state === 'dead' ? 'redrive or discard its dead letter' : 'cancel it, or wait for its end';
    throw new NoFault(`${task} is ${state}, and keeps its id: ${cure}.`);
  }
  if (kind === 'unknown') throw new NoFault(`${task} is not remembered: its id is free.`);
  if (!out.isJson) await out.line(`It is forgotten: the next task with the id ${id} runs.`);
}

import type { Command } from 'commander';
import { confirm } from '../confirm.js';
import { action, type Context } from '../context.js';
import { NoFault } from '../faults.js';
import { actorOf, addWho, addYes, type WhoOptions } from '../settings.js';
import { examples } from './examples.js';

type ForgetKeyArguments = WhoOptions & { readonly yes: boolean };

/** `tasks forget-key`. */
export function addForgetKey(tasks: Command): void {
  addYes(addWho(tasks.command('forget-key')))
    .argument('<queue>')
    .argument('<task>', 'the name of the task')
    .argument('<key>', 'the idempotency key, as it was sent or the handler computed it')
    .description('forget that the work of an idempotency key is done; the next task with the key runs again')
    .addHelpText(
      'after',
      examples('tasks forget-key payments payments.debit order-17 --because "the bank took it back"'),
    )
    .action(action(forgetKey));
}

async function forgetKey(
  { admin, out }: Context,
  options: ForgetKeyArguments,
  queue: string,
  task: string,
  key: string,
): Promise<void> {
  const work = `Task "${task}" with the key "${key}" in queue "${queue}"`;
  await confirm(`${work} can run again after this: its effect can happen a second time.`, options.yes);
  const { kind } = await admin.control.forgetKey(queue, task, key, actorOf(options));
  if (out.isJson) await out.json({ queue, task, key, kind });
  if (kind === 'busy') throw new NoFault(`${work} runs, and keeps its key: forget it when it has ended.`);
  if (kind === 'unknown') {
    throw new NoFault(
      `${work} is not remembered: it never completed, its mark is past the ttlMs of its handler, or its id is its key.`,
    );
  }
  if (!out.isJson) await out.line(`It is forgotten: the next task "${task}" with the key "${key}" runs.`);
}

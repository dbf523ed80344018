import { InvalidArgumentError, Option, type Command } from 'commander';
import type { EnqueueOptions, TaskReceipt } from 'nestjs-task-streams';
import { action, type Context } from '../context.js';
import { UsageFault } from '../faults.js';
import { readJsonArgument } from '../parse/json-argument.js';
import { parseSpan, parseTime, wholeNumber } from '../parse/values.js';
import { actorOf, addWho, type WhoOptions } from '../settings.js';
import { examples } from './examples.js';

interface EnqueueArguments extends WhoOptions {
  readonly payload: string;
  readonly id?: string;
  readonly key?: string;
  readonly delay?: number;
  readonly at?: Date;
  readonly attempts?: number;
  readonly timeout?: number;
  readonly ttl?: number;
  readonly header?: Readonly<Record<string, string>>;
  readonly durability: 'memory' | 'fsync';
}

const YEAR_MS = 365 * 86_400_000;

/** `tasks enqueue`. */
export function addEnqueue(tasks: Command): void {
  addWho(tasks.command('enqueue'))
    .argument('<queue>')
    .argument('<task>', 'the name of the task')
    .description('enqueue a task; the worker checks its payload')
    .requiredOption('--payload <json>', 'JSON, or @file, or - for the standard input')
    .option('--id <id>', 'the id of the task; the same id again adds nothing. Default: a new UUID')
    .option('--key <key>', 'its idempotency key. Default: its id')
    .option('--delay <span>', 'how long to wait, such as 10m', parseSpan)
    .option('--at <time>', 'when to run it, such as 2026-12-24T18:00:00Z', parseTime)
    .option('--attempts <count>', 'attempts in all. Default: what the handler says', wholeNumber(1, 1_000))
    .option('--timeout <span>', 'how long an attempt may take. Default: what the handler says', parseSpan)
    .option('--ttl <span>', 'in which the first attempt must begin. Default: none', parseSpan)
    .option('--header <name=value>', 'text beside the payload; may be given several times', collectHeaders)
    .addOption(
      new Option('--durability <level>', 'how safe it must be before the answer')
        .choices(['memory', 'fsync'])
        .default('memory'),
    )
    .addHelpText(
      'after',
      examples(
        'tasks enqueue mail mail.welcome --payload \'{"to":"ana@example.com"}\'',
        'tasks enqueue payments payments.debit --payload @debit.json --id order-17 --delay 10m',
        'tasks enqueue mail mail.welcome --payload - < welcome.json',
      ),
    )
    .action(action(enqueue));
}

async function enqueue({ admin, out }: Context, options: EnqueueArguments, queue: string, task: string): Promise<void> {
  if (options.delay !== undefined && options.at !== undefined) {
    throw new UsageFault('--delay and --at were both given: give one of them.');
  }
  if (options.at !== undefined && options.at.getTime() > Date.now() + 10 * YEAR_MS) {
    throw new UsageFault(`--at is ${options.at.toISOString()}: give a time within ten years.`);
  }
  const payload = await readJsonArgument('--payload', options.payload);
  const receipt = await admin.tasks.enqueue(task, payload, { queue, ...enqueueOptions(options) });
  await admin.audit.record(queue, 'enqueue', { ...actorOf(options), scope: scopeOf(task, receipt) });
  if (out.isJson) return out.json(receipt);
  const what = receipt.duplicate ? 'was known already, nothing was added' : `is ${receipt.state}`;
  await out.line(`Task ${receipt.id} ${what}.`);
  out.note(`Its ref is ${receipt.ref}`);
}

function enqueueOptions(options: EnqueueArguments): EnqueueOptions {
  const { id, key, delay, at, attempts, timeout, ttl, header, durability } = options;
  const all = {
    id,
    idempotencyKey: key,
    delayMs: delay,
    runAt: at,
    attempts,
    timeoutMs: timeout,
    ttlMs: ttl,
    headers: header,
    durability,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function scopeOf(task: string, { id, duplicate }: TaskReceipt): object {
  return { task, taskId: id, ...(duplicate ? { duplicate } : {}) };
}

function collectHeaders(text: string, earlier: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=([^]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Give name=value.');
  return { ...earlier, [name]: value };
}

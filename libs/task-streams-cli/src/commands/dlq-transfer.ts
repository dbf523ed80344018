import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import { action, type Context } from '../context.js';
import type { ExitCode } from '../exit-code.js';
import { UsageFault } from '../faults.js';
import { addFilters, queryOf, type FilterOptions } from '../letter-filters.js';
import { clean, cleanJson } from '../output/clean.js';
import { showCount, showNumber } from '../output/format.js';
import { actorOf, addWho, type WhoOptions } from '../settings.js';
import { examples } from './examples.js';

const MAX_SHOWN = 10;

/** `dlq export` and `dlq import`. */
export function addTransfers(dlq: Command): void {
  addFilters(dlq.command('export'))
    .argument('<queue>')
    .description(
      'write dead letters as lines of JSON, with their bytes and every secret in them; they stay where they are',
    )
    .option('--file <file>', 'a new file. Default: the standard output')
    .addHelpText(
      'after',
      examples('dlq export payments > payments.ndjson', 'dlq export payments --since 1d --file day.ndjson'),
    )
    .action(action(exportLetters));
  addWho(dlq.command('import'))
    .argument('<queue>', 'where to; it may be another queue than it was')
    .argument('<file>', 'an export, or - for the standard input')
    .description('add dead letters of an export, each once, whatever is imported twice')
    .addHelpText('after', examples('dlq import payments payments.ndjson', 'dlq import payments - < payments.ndjson'))
    .action(action(importLetters));
}

async function exportLetters(
  { admin, out }: Context,
  options: FilterOptions & { readonly file?: string },
  queue: string,
): Promise<void> {
  const lines = admin.letters.export(queue, queryOf(options));
  const count = await (options.file === undefined
    ? writeAll(lines, (line) => out.raw(line))
    : writeFile(lines, options.file));
  out.note(`${showCount(count, 'dead letter')} written; they are still in queue "${queue}".`);
}

async function writeAll(lines: AsyncIterable<string>, write: (line: string) => Promise<unknown>): Promise<number> {
  let count = 0;
  for await (const line of lines) {
    await write(cleanJson(line));
    count += 1;
  }
  return count;
}

/** Never over a file that is there, and not to be read by others: there may be secrets in it. */
async function writeFile(lines: AsyncIterable<string>, name: string): Promise<number> {
  const file = await open(name, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'it is there already; give another name' : error.message;
    throw new UsageFault(`--file ${name} cannot be written: ${why}.`);
  });
  try {
    return await writeAll(lines, (line) => file.write(line));
  } finally {
    await file.close();
  }
}

async function importLetters(
  { admin, out }: Context,
  options: WhoOptions,
  queue: string,
  file: string,
): Promise<ExitCode> {
  const source = file === '-' ? process.stdin : createReadStream(file);
  const report = await admin.letters.import(queue, source, actorOf(options)).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'open' && error.syscall !== 'read') throw error;
    throw new UsageFault(`${file} cannot be read: ${error.message}.`);
  });
  const { imported, duplicates, failed, problems } = report;
  if (out.isJson) await out.json(report);
  else {
    await out.line(`Added ${showCount(imported, 'dead letter')} to queue "${queue}".`);
    if (duplicates > 0) await out.line(`${showNumber(duplicates)} were there already, or were imported before.`);
    if (failed > 0) await out.line(out.paint('red', `Failed ${showNumber(failed)}.`));
    for (const { line, detail } of problems.slice(0, MAX_SHOWN)) await out.line(`  line ${line}: ${clean(detail)}`);
  }
  return failed > 0 ? 1 : 0;
}

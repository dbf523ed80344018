import type { Command } from 'commander';
import type { AuditRecord } from 'nestjs-task-streams';
import { action, type Context } from '../context.js';
import { showTime } from '../output/format.js';
import { addPaging, noteNextPage, type PagingOptions } from '../paging.js';
import { examples } from './examples.js';

/** `audit`: who did what. */
export function addAudit(program: Command): void {
  const audit = program.command('audit').description('show who did what to a queue by hand');
  addPaging(audit.command('ls'))
    .argument('<queue>')
    .description('list what was done, newest first')
    .addHelpText('after', examples('audit ls payments', 'audit ls payments --limit 5 --json'))
    .action(action(list));
}

async function list({ admin, out }: Context, { limit, after }: PagingOptions, queue: string): Promise<void> {
  const page = await admin.audit.list(queue, { limit, cursor: after });
  if (out.isJson) return out.json(page);
  if (page.records.length === 0) return out.note(`Nothing was done to queue "${queue}" by hand.`);
  await out.table(COLUMNS, page.records.map(row));
  noteNextPage(out, page.cursor);
}

const COLUMNS = [
  { title: 'AT' },
  { title: 'ACTION' },
  { title: 'BY', least: 8 },
  { title: 'COUNTS', least: 8 },
  { title: 'TO', least: 8 },
  { title: 'REASON', least: 8 },
] as const;

function row({ at, action: what, actor, counts, scope, reason }: AuditRecord): string[] {
  const came = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return [showTime(at), what, actor, came.join(', '), scopeText(scope), reason];
}

function scopeText(scope: unknown): string {
  if (scope === undefined || scope === null) return '';
  return typeof scope === 'string' ? scope : JSON.stringify(scope);
}

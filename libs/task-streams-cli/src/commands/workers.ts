import type { Command } from 'commander';
import type { WorkerInfo } from 'nestjs-task-streams';
import { action, type Context } from '../context.js';
import { showAgo, showSpan } from '../output/format.js';
import { examples } from './examples.js';

/** `workers`: who works on what. */
export function addWorkers(program: Command): void {
  const workers = program.command('workers').description('show who works on the queues');
  workers
    .command('ls')
    .argument('[queues...]', 'default all')
    .description('list the workers with what they hold; one that was not heard of within its lease is stale')
    .addHelpText('after', examples('workers ls', 'workers ls payments --json'))
    .action(action(list));
}

type QueueWorker = WorkerInfo & { readonly queue: string };

async function list({ admin, out }: Context, _: object, queues: readonly string[]): Promise<void> {
  const names = queues.length > 0 ? queues : await admin.queues.queues();
  const found: QueueWorker[] = [];
  for (const queue of names) {
    const workers = await admin.queues.workers(queue);
    found.push(...workers.map((worker) => ({ queue, ...worker })));
  }
  if (out.isJson) return out.json(found);
  if (found.length === 0) return out.note('There are no workers: start one, or see task-streams queues ls.');
  await out.table(COLUMNS, found.map(row));
}

const COLUMNS = [
  { title: 'QUEUE', least: 8 },
  { title: 'HOST', least: 8 },
  { title: 'PID', align: 'right' },
  { title: 'RUNS', align: 'right' },
  { title: 'HOLDS', align: 'right' },
  { title: 'HEARD', align: 'right' },
  { title: 'UP', align: 'right' },
  { title: 'VERSION' },
  { title: 'STATE' },
] as const;

function row(worker: QueueWorker): (string | number | { text: string; style: 'yellow' })[] {
  const { queue, host, pid, pendingCount, idleMs, heartbeat, isLive } = worker;
  return [
    queue,
    host,
    pid,
    heartbeat === undefined ? '-' : `${heartbeat.runningCount}/${heartbeat.concurrency}`,
    pendingCount,
    showAgo(Date.now() - idleMs),
    heartbeat === undefined ? '-' : showSpan(Date.now() - heartbeat.startedAt.getTime()),
    heartbeat?.version ?? '-',
    isLive ? '' : { text: 'stale', style: 'yellow' },
  ];
}

import path from 'node:path';
import type { TaskStreamsOptions } from 'nestjs-task-streams';
import type { Bench } from '../harness/bench.js';
import { QueueWatch } from '../harness/queue-watch.js';
import { comesTrue, lasts } from '../harness/until.js';
import { MIXED_QUEUES } from '../worker/settings.js';
import { planFaults, strike, type FaultKind, type Field } from './faults.js';
import { FEATURES, mixedTask, takenTask, TAKEN_IDS, type Mix, type MixedTask } from './tasks.js';
import { judgeMixed } from './judge-mixed.js';

/** Tasks a second that four workers on two cores can do beside everything else. */
const RATE = { full: 500, small: 250 } as const;

const SMALL_FAULTS = 5;
const SMALL_TASKS = 600;

export interface MixedKind {
  readonly faults: readonly FaultKind[];
  /** Workers of one fleet have different options, as in a deploy or where two services work on one queue. */
  readonly isMixedFleet?: boolean;
}

/** Runs a mix of tasks under a mix of faults; `--only` leaves kinds of either out. */
export async function runMixed(bench: Bench, kind: MixedKind): Promise<void> {
  const { only, seed } = bench.context;
  const isWanted = (name: string) => only === undefined || only.has(name);
  const mix: Mix = {
    seed,
    count: bench.isSmall ? SMALL_TASKS : bench.taskCount,
    leaseMs: bench.leaseMs,
    features: new Set(FEATURES.filter(isWanted)),
  };
  await bench.startRedis({ appendOnly: true, extraArgs: ['--appendfsync', 'always'] });
  const proxy = await bench.startProxy();
  await bench.openProducer(proxy.url);
  const count = bench.isSmall ? 2 : 4;
  await startWorkers(bench, proxy.url, count, kind.isMixedFleet === true);
  for (let n = 0; n < TAKEN_IDS; n += 1) await bench.producer.send(takenTask(n));
  const field: Field = { bench, proxy, longestLeaseMs: bench.leaseMs * (kind.isMixedFleet ? 3 : 1) };
  const tasks = Array.from({ length: mix.count }, (_, i) => mixedTask(mix, i));
  const plan = planFaults(
    bench.random,
    kind.faults.filter(isWanted),
    bench.isSmall ? SMALL_FAULTS : bench.faultCount,
    count,
  );
  await work(field, tasks, plan);
  await finish(bench, tasks);
  bench.judge = (history) => judgeMixed(bench, history, [...tasks, ...takenTasks()]);
}

function takenTasks(): MixedTask[] {
  return Array.from({ length: TAKEN_IDS }, (_, n) => takenTask(n));
}

async function startWorkers(bench: Bench, url: string, count: number, isMixedFleet: boolean): Promise<void> {
  const { leaseMs, workerOptions, ledgerDir, scenario } = bench;
  const other: TaskStreamsOptions = {
    leaseMs: 3 * leaseMs,
    crashLimit: 5,
    concurrency: 5,
    retention: { completedMs: 43_200_000 },
  };
  await bench.startFleet({
    count,
    areEndsMeant: true,
    place: (slot) => ({
      settings: {
        ledgerDir,
        isMixed: true,
        effectsDir: path.join(bench.dir, 'effects'),
        control: scenario.control,
        options: {
          ...workerOptions,
          connection: { url },
          queues: Object.fromEntries(
            Object.entries(MIXED_QUEUES).map(([queue, slots]) => [queue, { concurrency: slots }]),
          ),
          ...(isMixedFleet && slot % 2 === 1 ? other : {}),
        },
      },
    }),
  });
}

async function work(field: Field, tasks: readonly MixedTask[], plan: ReturnType<typeof planFaults>): Promise<void> {
  const { bench } = field;
  const overMs = (tasks.length / (bench.isSmall ? RATE.small : RATE.full)) * 1_000;
  const followed: Promise<void>[] = [];
  const load = bench.load({
    count: tasks.length,
    overMs,
    job: (i) => tasks[i] as MixedTask,
    onSent: (i) => followed.push(meddle(bench, tasks[i] as MixedTask)),
  });
  const gapMs = overMs / (plan.length + 1);
  const startedAt = performance.now();
  for (const [n, fault] of plan.entries()) {
    await lasts(Math.max(gapMs / 4, (n + 1) * gapMs - (performance.now() - startedAt)));
    await strike(field, fault).catch((error: Error) =>
      bench.check(`${fault.kind} can be done: ${error.message}`, false),
    );
  }
  await load.done;
  await Promise.all(followed);
}

/** What somebody does to a task after it was sent. Redis may be away: it is tried until it answers. */
async function meddle({ producer }: Bench, { id, queue, feature }: MixedTask): Promise<void> {
  const ref = { queue, id };
  const acts: Partial<Record<MixedTask['feature'], () => Promise<unknown>>> = {
    cancelled: () => producer.client.cancel(ref, { reason: 'the plan says so' }),
    rescheduled: () => producer.client.reschedule(ref, { delayMs: 100 }),
  };
  const act = acts[feature];
  if (act) await comesTrue(() => act().then(() => true), 60_000);
}

/** What the trims took away while it waited is sent again, and everything is given the time to end. */
async function finish(bench: Bench, tasks: readonly MixedTask[]): Promise<void> {
  const drainMs = bench.isSmall ? 15_000 : 120_000;
  const watches = Object.keys(MIXED_QUEUES).map((queue) => new QueueWatch(() => bench.redis.url, queue));
  const areDrained = async () => (await Promise.all(watches.map((watch) => watch.isDrained()))).every(Boolean);
  await bench.fleet.ready();
  await comesTrue(areDrained, drainMs);
  for (const task of tasks.filter(({ feature }) => feature === 'victim')) await bench.producer.send(task);
  bench.check('all queues are empty in the end (I2)', await comesTrue(areDrained, drainMs));
}

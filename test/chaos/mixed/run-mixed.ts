import path from 'node:path';
import type { TaskStreamsOptions } from 'nestjs-task-streams';
import { clusterConnection } from '../../support/topologies/cluster-connection.js';
import type { Bench } from '../harness/bench.js';
import { comesTrue, lasts } from '../harness/until.js';
import { MIXED_QUEUES } from '../worker/settings.js';
import { planFaults, planInOrder, strike, type FaultKind, type Field, type PlannedFault } from './faults.js';
import type { Ground } from './ground.js';
import { FEATURES, mixedTask, takenTask, TAKEN_IDS, type Feature, type Mix, type MixedTask } from './tasks.js';
import { judgeMixed } from './judge-mixed.js';

/** Tasks a second that four workers on two cores can do beside everything else. */
const RATE = { full: 500, small: 250 } as const;

const SMALL_FAULTS = 5;
const SMALL_TASKS = 600;

export interface MixedKind {
  readonly ground: (bench: Bench) => Promise<Ground>;
  readonly faults: readonly FaultKind[];
  /** The faults of a small run, where it cannot be left to the seed which of them it sees. */
  readonly smallFaults?: readonly FaultKind[];
  /** Default: all. */
  readonly features?: readonly Feature[];
  /** Small runs are without tasks that kill their workers, which is most of their time, but for one. */
  readonly hasSmallKillers?: boolean;
  /** Tasks a second of a full run. Default: 500. */
  readonly rate?: number;
  /** Nobody dies and nothing is lost, so no attempt is begun twice. */
  readonly isRunningOnce?: boolean;
  /** Workers of one fleet have different options, as in a deploy or where two services work on one queue. */
  readonly isMixedFleet?: boolean;
}

/** Runs a mix of tasks under a mix of faults; `--only` leaves kinds of either out. */
export async function runMixed(bench: Bench, kind: MixedKind): Promise<void> {
  const { only } = bench.context;
  const isWanted = (name: string) => only === undefined || only.has(name);
  const ground = await kind.ground(bench);
  await openProducer(bench, ground);
  const count = bench.isSmall ? 2 : 4;
  await startWorkers(bench, ground, count, kind.isMixedFleet === true);
  for (let n = 0; n < TAKEN_IDS; n += 1) await bench.producer.send(takenTask(n));
  const field: Field = { bench, ground, longestLeaseMs: bench.leaseMs * (kind.isMixedFleet ? 3 : 1) };
  const mix = mixOf(bench, kind, ground, isWanted);
  const tasks = Array.from({ length: mix.count }, (_, i) => mixedTask(mix, i));
  const isPossible = (name: FaultKind) => isWanted(name) && !ground.lacking.includes(name);
  const small = bench.isSmall ? kind.smallFaults?.filter(isPossible) : undefined;
  const plan = small
    ? planInOrder(bench.random, small, count)
    : planFaults(bench.random, kind.faults.filter(isPossible), bench.isSmall ? SMALL_FAULTS : bench.faultCount, count);
  await work(field, tasks, plan, kind);
  await finish(bench, tasks, ground);
  bench.judge = (history) => judgeMixed(bench, history, [...tasks, ...takenTasks()], kind);
}

function mixOf(bench: Bench, kind: MixedKind, ground: Ground, isWanted: (name: string) => boolean): Mix {
  return {
    seed: bench.context.seed,
    count: bench.isSmall ? SMALL_TASKS : bench.taskCount,
    leaseMs: bench.leaseMs,
    features: new Set(featuresOf(bench, kind).filter(isWanted)),
    durability: ground.durability,
    isQueueAlone: ground.clusterNodes !== undefined,
  };
}

function featuresOf(
  { isSmall, context }: Bench,
  { features = FEATURES, hasSmallKillers }: MixedKind,
): readonly Feature[] {
  const isWithout = isSmall && !hasSmallKillers && context.only === undefined;
  return isWithout ? features.filter((feature) => feature !== 'killer' && feature !== 'suspect') : features;
}

async function openProducer(bench: Bench, { connection, clusterNodes, durability }: Ground): Promise<void> {
  const own = clusterNodes ? clusterConnection(clusterNodes) : connection;
  const producer = await bench.openProducer('', { connection: own });
  producer.isSendingUntilConfirmed = durability !== undefined;
}

function takenTasks(): MixedTask[] {
  return Array.from({ length: TAKEN_IDS }, (_, n) => takenTask(n));
}

async function startWorkers(bench: Bench, ground: Ground, count: number, isMixedFleet: boolean): Promise<void> {
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
    // Each says itself where it connects to.
    url: () => '',
    place: (slot) => ({
      settings: {
        ledgerDir,
        isMixed: true,
        effectsDir: path.join(bench.dir, 'effects'),
        control: scenario.control,
        clusterNodes: ground.clusterNodes,
        options: {
          ...workerOptions,
          connection: ground.connection,
          queues: Object.fromEntries(
            Object.entries(MIXED_QUEUES).map(([queue, slots]) => [queue, { concurrency: slots }]),
          ),
          ...(isMixedFleet && slot % 2 === 1 ? other : {}),
        },
      },
    }),
  });
}

async function work(
  field: Field,
  tasks: readonly MixedTask[],
  plan: readonly PlannedFault[],
  { rate = RATE.full }: MixedKind,
): Promise<void> {
  const { bench } = field;
  const overMs = (tasks.length / (bench.isSmall ? RATE.small : rate)) * 1_000;
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
async function finish(bench: Bench, tasks: readonly MixedTask[], { durability }: Ground): Promise<void> {
  const drainMs = bench.isSmall ? 15_000 : 120_000;
  const watches = Object.keys(MIXED_QUEUES).map((queue) => bench.watchOf(queue));
  const areDrained = async () => (await Promise.all(watches.map((watch) => watch.isDrained()))).every(Boolean);
  await bench.fleet.ready();
  // A replica that took over may not have heard that they need not wait for an hour.
  const mayWait = durability === undefined ? [] : tasks.filter(({ feature }) => feature === 'rescheduled');
  const promote = (task: MixedTask) => bench.producer.client.promote(task).then(() => true);
  for (const task of mayWait) await comesTrue(() => promote(task), drainMs);
  await comesTrue(areDrained, drainMs);
  for (const task of tasks.filter(({ feature }) => feature === 'victim')) await bench.producer.send(task);
  bench.check('all queues are empty in the end (I2)', await comesTrue(areDrained, drainMs));
}

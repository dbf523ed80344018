import { setTimeout as delay } from 'node:timers/promises';
import type { BenchProcess } from './bench-process.js';
import { type Measured, measure, percentilesOf, usedMemoryOf } from './clock.js';
import { endGrowthOfTables } from './end-growth.js';
import { makeOrder } from './orders.js';
import type { RunKind, RunResult } from './plan.js';
import { load, produce } from './produce.js';
import type { Session } from './side.js';

/** What was measured, before the end state is looked at. */
type Figures = Omit<RunResult, 'taskCount' | 'endState' | 'endings'>;

type Run = (bench: BenchProcess, session: Session) => Promise<Figures>;

/** Between two tasks of `latency`, so that each meets an idle worker. */
const IDLE_MS = 2;
/** Of the tasks of `latency`, those that come first and do not count: the way of an idle worker is not the one of the warm-up. */
const SKIPPED_SHARE = 0.25;

/** How each kind of run measures, in one process. */
export const runs: Readonly<Record<Exclude<RunKind, 'worker'>, Run>> = {
  produce: measureProducing,
  process: measureBacklog,
  both: measureBoth,
  latency: measureLatency,
  'memory-waiting': measureWaitingMemory,
  'memory-done': measureMemoryOfDone,
};

function measureProducing({ plan, redis }: BenchProcess, session: Session): Promise<Measured> {
  const { taskCount, style, payloadBytes } = plan;
  return measure(redis, taskCount, () => produce(session, style, taskCount, payloadBytes));
}

/** The tasks are there before the clock starts; it stops when the last of the measured ones is on record as done. */
async function measureBacklog(bench: BenchProcess, session: Session): Promise<Measured> {
  const { taskCount, behindCount, payloadBytes } = bench.plan;
  await load(session, taskCount + behindCount, payloadBytes);
  await endGrowthOfTables(bench.redis);
  const measuredEnded = bench.ledger.reaches(taskCount);
  const measured = await measure(bench.redis, taskCount, async () => {
    session.start();
    await measuredEnded;
    if (behindCount === 0) await bench.drained();
  });
  await bench.finished();
  return measured;
}

async function measureBoth(bench: BenchProcess, session: Session): Promise<Measured> {
  const { taskCount, payloadBytes, style } = bench.plan;
  session.start();
  const allEnded = bench.ledger.reaches(taskCount);
  return measure(bench.redis, taskCount, async () => {
    await produce(session, style, taskCount, payloadBytes);
    await allEnded;
    await bench.drained();
  });
}

async function measureLatency(bench: BenchProcess, session: Session): Promise<Figures> {
  const { plan, ledger } = bench;
  session.start();
  const samples: number[] = [];
  for (let orderId = 0; orderId < plan.taskCount; orderId++) {
    await delay(IDLE_MS);
    const started = new Promise<number>((resolve) => {
      ledger.onStart = () => resolve(performance.now());
    });
    const enqueuedAt = performance.now();
    const [startedAt] = await Promise.all([started, session.add(makeOrder(orderId, plan.payloadBytes))]);
    if (orderId >= plan.taskCount * SKIPPED_SHARE) samples.push(startedAt - enqueuedAt);
  }
  await bench.finished();
  return { latency: percentilesOf(samples) };
}

async function measureWaitingMemory({ plan, redis }: BenchProcess, session: Session): Promise<Figures> {
  const before = await usedMemoryOf(redis);
  await load(session, plan.taskCount, plan.payloadBytes);
  return { bytesPerTask: ((await usedMemoryOf(redis)) - before) / plan.taskCount };
}

async function measureMemoryOfDone(bench: BenchProcess, session: Session): Promise<Figures> {
  const { plan, redis } = bench;
  const before = await usedMemoryOf(redis);
  await measureBacklog(bench, session);
  return { bytesPerTask: ((await usedMemoryOf(redis)) - before) / plan.taskCount };
}

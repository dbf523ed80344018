// A process of the bench: runs one plan and tells its parent what came out. Only its parent starts it.
import 'reflect-metadata';
import { BenchProcess } from './bench-process.js';
import type { ChildMessage, RunPlan, RunResult } from './plan.js';
import { runs } from './runs.js';
import { serveParent } from './worker.js';

function tell(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

async function runPlan(plan: RunPlan): Promise<void> {
  const bench = await BenchProcess.start(plan);
  await bench.warmUp();
  if (plan.kind === 'worker') {
    await serveParent(bench, (value) => tell({ kind: 'answer', value }));
    return;
  }
  await bench.redis.flushall();
  const session = await bench.open();
  const figures = await runs[plan.kind](bench, session);
  const result: RunResult = {
    ...figures,
    taskCount: plan.taskCount,
    endState: await bench.endState(),
    endings: bench.ledger.endings,
  };
  await tell({ kind: 'result', result });
  await session.close();
}

// Whoever started this is gone: nobody waits for the result.
process.once('disconnect', () => process.exit(1));
process.once('message', (plan: RunPlan) => {
  runPlan(plan).then(
    () => process.exit(0),
    async (error: unknown) => {
      await tell({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      process.exit(1);
    },
  );
});
void tell({ kind: 'ready' });

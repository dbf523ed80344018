import { ChildProcess } from './child-process.mjs';

/**
 * @typedef {import('./child/plan.js').EndState} EndState
 * @typedef {import('./child/plan.js').RunPlan} RunPlan
 * @typedef {import('./child/plan.js').RunResult} RunResult
 * @typedef {import('./child/plan.js').WorkerReport} WorkerReport
 */

/**
 * Several processes on one backlog. One more makes the backlog, watches it shrink and looks at the end state, so that its
 * work is nobody's.
 *
 * @param {string} program
 * @param {RunPlan} plan
 * @param {number} workerCount
 * @returns {Promise<RunResult>}
 */
export async function runWorkers(program, plan, workerCount) {
  const watcher = new ChildProcess(program, plan);
  const workers = Array.from({ length: workerCount }, () => new ChildProcess(program, plan));
  const everybody = [watcher, ...workers];
  try {
    // One after the other: each warms up on its own, as the only worker of the other modes does.
    for (const child of everybody) await child.begin();
    for (const child of everybody) await child.ask('open');
    await watcher.ask('load');
    const figures = await measure(watcher, workers);
    const reports = await Promise.all(workers.map((worker) => worker.ask('stop'))).then(
      (answers) => /** @type {WorkerReport[]} */ (answers),
    );
    const cpuMicros = reports.reduce((sum, report) => sum + report.cpuMicros, 0);
    const endState = /** @type {EndState} */ (await watcher.ask('inspect'));
    await Promise.all(everybody.map((child) => child.ask('end')));
    return {
      taskCount: plan.taskCount,
      seconds: figures.seconds,
      nodeMicros: cpuMicros / plan.taskCount,
      redisMicros: (figures.redisSeconds * 1e6) / plan.taskCount,
      endState,
      endings: sumOf(reports.map((report) => report.endings)),
    };
  } catch (error) {
    for (const child of everybody) child.kill();
    throw error;
  } finally {
    await Promise.all(everybody.map((child) => child.end()));
  }
}

/**
 * @param {ChildProcess} watcher
 * @param {readonly ChildProcess[]} workers
 */
async function measure(watcher, workers) {
  await watcher.ask('mark');
  const startedAt = performance.now();
  await Promise.all(workers.map((worker) => worker.ask('start')));
  const redisSeconds = Number(await watcher.ask('drained'));
  return { seconds: (performance.now() - startedAt) / 1000, redisSeconds };
}

/** @param {readonly Uint8Array[]} ledgers */
function sumOf(ledgers) {
  const sum = new Uint8Array(ledgers[0]?.length ?? 0);
  for (const ledger of ledgers) ledger.forEach((count, index) => (sum[index] = (sum[index] ?? 0) + count));
  return sum;
}

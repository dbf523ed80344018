import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startRedisServer } from '../scripts/redis/index.mjs';
import { checkEndState } from './check-end-state.mjs';
import { ChildProcess } from './child-process.mjs';
import { runWorkers } from './run-workers.mjs';

/**
 * @typedef {import('../scripts/redis/index.mjs').RedisServer} RedisServer
 * @typedef {import('./child/plan.js').RunPlan} RunPlan
 * @typedef {import('./child/plan.js').RunResult} RunResult
 * @typedef {import('./child/plan.js').SideName} SideName
 * @typedef {import('./modes.mjs').Mode} Mode
 */

/**
 * What stays the same over all runs.
 *
 * @typedef {object} BenchContext
 * @property {string} program of the measured processes
 * @property {RedisServer} server
 */

const runTimeoutMs = 600_000;

/**
 * One run of one side: a fresh server, fresh processes, and an end state that was looked at.
 *
 * @param {BenchContext} context
 * @param {Mode} mode
 * @param {SideName} side
 * @param {number} taskCount
 * @returns {Promise<RunResult>}
 */
export async function runOnce(context, mode, side, taskCount) {
  const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-bench-'));
  const removeDir = () => rmSync(dir, { recursive: true, force: true });
  process.once('exit', removeDir);
  const extraArgs = mode.isAppendOnly ? ['--appendfsync', 'everysec'] : [];
  const redis = await startRedisServer({ dir, appendOnly: mode.isAppendOnly, extraArgs, server: context.server });
  try {
    const plan = planOf(mode, side, taskCount, redis.port);
    const result = await (mode.kind === 'workers'
      ? runWorkers(context.program, plan, mode.workerCount)
      : runProcess(context.program, plan));
    checkEndState(plan, result);
    return result;
  } finally {
    await redis.stop();
    removeDir();
    process.off('exit', removeDir);
  }
}

/**
 * @param {string} program
 * @param {RunPlan} plan
 */
async function runProcess(program, plan) {
  const child = new ChildProcess(program, plan);
  const timer = setTimeout(() => child.kill(), runTimeoutMs);
  try {
    return await child.run();
  } finally {
    clearTimeout(timer);
    await child.end();
  }
}

/**
 * @param {Mode} mode
 * @param {SideName} side
 * @param {number} taskCount
 * @param {number} port
 * @returns {RunPlan}
 */
function planOf(mode, side, taskCount, port) {
  const { concurrency, payloadBytes, style, work, behindCount, isKeeping, leaseMs } = mode;
  const kind = mode.kind === 'workers' ? 'worker' : mode.kind;
  const shape = { concurrency, payloadBytes, style, work, behindCount, isKeeping };
  return { side, kind, port, taskCount, ...shape, ...(leaseMs === undefined ? {} : { leaseMs }) };
}

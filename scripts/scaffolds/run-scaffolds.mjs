import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBuilt } from '../lib/build.mjs';
import { capture } from '../lib/run-command.mjs';
import { startRedisServer } from '../redis/index.mjs';
import { installLibrary, writeProgram } from './fill-scaffold.mjs';
import { findNode } from './find-node.mjs';
import { makeScaffolds } from './make-scaffold.mjs';
import { scaffoldKinds } from './scaffold-kinds.mjs';
import { scaffoldSteps } from './scaffold-steps.mjs';

/** The versions of Node that the package names in its engines. */
const allNodes = [20, 22, 24];

/**
 * @typedef {object} ScaffoldOptions
 * @property {boolean} isWhole every version of Node and every step; else this Node and the quick ones
 * @property {string} [filter] part of the name of a project and a step: the others are left out
 * @property {(line: string) => void} print
 */

/**
 * Uses the packed library in projects as `nest new` makes them: tests, builds, bundles and runs them.
 *
 * @param {ScaffoldOptions} options
 * @returns {Promise<import('../test/run-vitest.mjs').Totals>} a step counts as a test
 */
export async function runScaffolds({ isWhole, filter = '', print }) {
  const [nodes, apps] = await Promise.all([
    isWhole ? Promise.all(allNodes.map((major) => findNode(major, print))) : [process.execPath],
    makeScaffolds(print),
    ensureBuilt(print),
  ]);
  await installLibrary(apps);
  const totals = { passed: 0, failed: 0, skipped: 0 };
  await withRedis(async (redisUrl) => {
    for (const [index, kind] of scaffoldKinds.entries()) {
      const app = apps[index] ?? '';
      await writeProgram(app, kind.isCommonJs);
      for (const step of scaffoldSteps) {
        const name = `${kind.name}, ${step.name}`;
        const isWanted = (isWhole || step.isQuick) && (!step.only || (step.only === 'commonjs') === kind.isCommonJs);
        if (!isWanted || !name.includes(filter)) continue;
        const isPassed = await runStep({ name, step, app, nodes, redisUrl, print });
        totals[isPassed ? 'passed' : 'failed'] += 1;
      }
    }
  });
  print(`in projects of users: ${totals.passed} passed, ${totals.failed} failed`);
  return totals;
}

/** @param {(url: string) => Promise<void>} work */
async function withRedis(work) {
  const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-scaffolds-'));
  const redis = await startRedisServer({ dir });
  try {
    await work(redis.url);
  } finally {
    await redis.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * @typedef {object} StepRun
 * @property {string} name
 * @property {import('./scaffold-steps.mjs').Step} step
 * @property {string} app
 * @property {readonly string[]} nodes
 * @property {string} redisUrl
 * @property {(line: string) => void} print
 */

/** @param {StepRun} options */
async function runStep({ name, step, app, nodes, redisUrl, print }) {
  const startedAt = performance.now();
  let runs = 0;
  const runOn = async (/** @type {string} */ node, /** @type {readonly string[]} */ args) => {
    runs += 1;
    const env = {
      ...process.env,
      // What a program starts runs on the same Node.
      PATH: `${path.dirname(node)}${path.delimiter}${process.env['PATH'] ?? ''}`,
      REDIS_URL: redisUrl,
      TASKS_PREFIX: `${name.replaceAll(/\W+/g, '-')}-${runs}`,
    };
    const { code, stdout, stderr } = await capture(node, args, { cwd: app, env, timeoutMs: 300_000 });
    if (code !== 0) throw new Error(`${node} ${args.join(' ')} ended with exit code ${code}:\n${stdout}${stderr}`);
  };
  try {
    await step.do({
      app,
      build: (...args) => runOn(process.execPath, args),
      run: async (...args) => {
        for (const node of nodes) await runOn(node, args);
      },
    });
    print(`${name}: passed (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    return true;
  } catch (error) {
    print(`${name}: FAILED\n${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

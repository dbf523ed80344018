import { ensureBuilt } from '../lib/build.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { runNpm } from '../lib/run-command.mjs';
import { findRedisServer } from '../redis/index.mjs';
import { runScaffolds } from '../scaffolds/run-scaffolds.mjs';
import { runOnNest11 } from './run-nest-11.mjs';
import { runObservability } from './run-observability.mjs';
import { runVitest } from './run-vitest.mjs';

/** @typedef {(line: string) => void} Print */

const FAST = ['unit', 'repository', 'integration'];
const ALL = [...FAST, 'cases', 'cli', 'e2e', 'chaos'];

/**
 * Runs the checks, the cheap ones first, and stops at the first that fails.
 *
 * @param {{ isFast: boolean, isObserving: boolean, vitestArgs: readonly string[], print: Print }} options
 * @returns {Promise<number>} the exit code
 */
export async function runTests({ isFast, isObserving, vitestArgs, print }) {
  await ensureInstalled(print);
  for (const script of isFast ? ['typecheck'] : ['format:check', 'lint', 'typecheck']) await check(script, print);
  if (!isFast) await ensureBuilt(print);
  // Found or downloaded here, so that a machine without one says so at once and in its own words.
  if (!process.env['TEST_REDIS_URL']) await findRedisServer({ log: print });
  const projects = (isFast ? FAST : ALL).flatMap((name) => ['--project', name]);
  const totals = await runVitest({ args: [...projects, ...vitestArgs], env: isFast ? { TEST_FAST: '1' } : {} });
  const isWhole = !isFast && vitestArgs.length === 0;
  if (isWhole && totals.failed === 0) add(totals, await runOnNest11({ isWhole: false, print }));
  if (isWhole && totals.failed === 0) add(totals, await runScaffolds({ isWhole: false, print }));
  if (isObserving && totals.failed === 0) add(totals, await runObservability(print));
  // Last and alone: it compares speeds, and wants the machine for itself.
  if (isWhole && totals.failed === 0) add(totals, await runVitest({ args: ['--project', 'bench'], env: {} }));
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  print(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

/**
 * @param {import('./run-vitest.mjs').Totals} totals
 * @param {import('./run-vitest.mjs').Totals} more
 */
function add(totals, more) {
  totals.passed += more.passed;
  totals.failed += more.failed;
  totals.skipped += more.skipped;
}

/**
 * @param {string} script a script of package.json
 * @param {Print} print
 */
async function check(script, print) {
  const startedAt = performance.now();
  const code = await runNpm(['run', '--silent', script]);
  if (code !== 0) throw new Error(`npm run ${script} failed with exit code ${code}: see its output above.`);
  print(`${script}: passed (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

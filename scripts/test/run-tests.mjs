import { prepareChaos } from '../chaos/prepare.mjs';
import { ensureBuiltAsImage } from '../image/ensure-built-as-image.mjs';
import { ensureNest11 } from '../lib/install-nest-11.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { captureNpm } from '../lib/run-command.mjs';
import { findPrometheus } from '../observability/find-prometheus.mjs';
import { findRedisServer } from '../redis/index.mjs';
import { runOnNest11 } from './run-nest-11.mjs';
import { runObservability } from './run-observability.mjs';
import { runVitest } from './run-vitest.mjs';

/** @typedef {(line: string) => void} Print */

const FAST = ['unit', 'repository', 'integration'];
const ALL = [...FAST, 'cases', 'cli', 'e2e', 'chaos'];

/**
 * Runs the checks that need nothing to run, then the tests, and stops at the first of these that fails.
 *
 * @param {{ isFast: boolean, isObserving: boolean, vitestArgs: readonly string[], print: Print }} options
 * @returns {Promise<number>} the exit code
 */
export async function runTests({ isFast, isObserving, vitestArgs, print }) {
  await ensureInstalled(print);
  const isWhole = !isFast && vitestArgs.length === 0;
  // Found or downloaded here, so that a machine without one says so at once and in its own words.
  if (!process.env['TEST_REDIS_URL']) await findRedisServer({ log: print });
  if (!isFast) await sideBySide(preparations({ isWhole, isObserving, print }));
  const types = isFast ? check('typecheck', print) : undefined;
  // Waited for below, where there is somebody to tell.
  types?.catch(() => undefined);
  const projects = (isFast ? FAST : ALL).flatMap((name) => ['--project', name]);
  const totals = await runVitest({ args: [...projects, ...vitestArgs], env: isFast ? { TEST_FAST: '1' } : {} });
  await types;
  if (totals.failed === 0) add(totals, await runMore({ isWhole, isObserving, print }));
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  print(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

/**
 * The checks that run nothing, and what is built or downloaded for the tests. Two of them at a time would do for two cores,
 * and the others wait for a network.
 *
 * @param {{ isWhole: boolean, isObserving: boolean, print: Print }} options
 * @returns {Promise<unknown>[]}
 */
function preparations({ isWhole, isObserving, print }) {
  return [
    check('format:check', print).then(() => check('lint', print)),
    check('typecheck', print),
    ensureBuiltAsImage(print).then(() => (isWhole ? prepareChaos(print) : undefined)),
    ...(isWhole ? [ensureNest11(print)] : []),
    // Where there is none, that is said once the tests have run: they do not need it.
    ...(isObserving ? [findPrometheus(print).catch(() => undefined)] : []),
  ];
}

/**
 * What is run after the tests.
 *
 * @param {{ isWhole: boolean, isObserving: boolean, print: Print }} options
 * @returns {Promise<import('./run-vitest.mjs').Totals>}
 */
async function runMore({ isWhole, isObserving, print }) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  /** @type {string[]} */
  const lines = [];
  // A Prometheus waits for its next look most of the time: meanwhile something else may run, and is printed first.
  const [onNest11, observed] = await Promise.all([
    isWhole ? runOnNest11({ isWhole: false, print }) : totals,
    isObserving ? runObservability((line) => lines.push(line)) : totals,
  ]);
  for (const line of lines) print(line);
  const more = { ...totals };
  for (const one of [onNest11, observed]) add(more, one);
  // Last and alone: it compares speeds, and wants the machine for itself.
  if (isWhole && more.failed === 0) add(more, await runVitest({ args: ['--project', 'bench'], env: {} }));
  return more;
}

/**
 * Waits for all of them, so that nothing runs on after a failure.
 *
 * @param {readonly Promise<unknown>[]} tasks
 */
async function sideBySide(tasks) {
  const failed = (await Promise.allSettled(tasks)).filter(({ status }) => status === 'rejected');
  if (failed.length === 0) return;
  const reasons = failed.map((result) => /** @type {PromiseRejectedResult} */ (result).reason);
  throw new Error(reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join('\n'));
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
  const { code, stdout, stderr } = await captureNpm(['run', '--silent', script]);
  const output = `${stdout}${stderr}`.trim();
  if (output !== '') print(output);
  if (code !== 0) throw new Error(`npm run ${script} failed with exit code ${code}: see its output above.`);
  print(`${script}: passed (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

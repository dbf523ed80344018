import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheDir, root } from '../lib/paths.mjs';
import { runInTerminal } from '../lib/run-command.mjs';

const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const resultsFile = path.join(cacheDir, 'test-results.json');

/** @typedef {{ passed: number, failed: number, skipped: number }} Totals */

/**
 * The part of vitest's JSON report that is read here.
 *
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults
 */

/**
 * Runs vitest in this terminal and counts what it reports.
 *
 * @param {{ args: readonly string[], env: Record<string, string> }} options
 * @returns {Promise<Totals>}
 */
export async function runVitest({ args, env }) {
  mkdirSync(cacheDir, { recursive: true });
  // An old report must not speak for a run that died before it wrote its own.
  rmSync(resultsFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultsFile}`];
  const code = await runInTerminal(process.execPath, [vitest, 'run', ...reporters, ...args], {
    env: { ...process.env, ...env },
  });
  const totals = existsSync(resultsFile) ? count(JSON.parse(readFileSync(resultsFile, 'utf8'))) : noTotals();
  // vitest also fails for what belongs to no test: an error nobody caught, a global setup that threw.
  if (code !== 0 && totals.failed === 0) return { ...totals, failed: 1 };
  return totals;
}

/**
 * @param {Report} report
 * @returns {Totals}
 */
function count(report) {
  // A file that cannot even be loaded has no failed test, and yet has failed.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** @returns {Totals} */
function noTotals() {
  return { passed: 0, failed: 0, skipped: 0 };
}

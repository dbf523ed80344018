import { checkAll } from '../observability/check-all.mjs';

/**
 * Runs the checks of `npm run test:observability` and counts them.
 *
 * @param {(line: string) => void} print
 * @returns {Promise<import('./run-vitest.mjs').Totals>}
 */
export async function runObservability(print) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const startedAt = performance.now();
  const count = (/** @type {string} */ line) => {
    if (line.startsWith('ok ')) totals.passed += 1;
    if (line.startsWith('FAIL ')) totals.failed += 1;
    print(line);
  };
  try {
    const failed = await checkAll(count);
    // Whatever is counted below, a failure stays one.
    totals.failed = Math.max(totals.failed, failed);
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    totals.failed += 1;
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  print(`observability: ${totals.failed === 0 ? 'passed' : 'failed'} (${seconds} s)`);
  return totals;
}

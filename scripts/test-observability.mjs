// npm run test:observability: needs Node and nothing else, so it uses no dependency before it has installed them.
import { requireSupportedNode } from './lib/node-version.mjs';

const usage = `npm run test:observability              the alert rules, every query of the dashboard, and four disasters
npm run test:observability -- --rules   the alert rules alone
npm run charts:observability            the same as the first, and draws the charts of docs/observability.md

Uses prometheus and promtool from PATH; else, on Debian and Ubuntu, the distribution's package, unpacked below
.cache/prometheus without installing it. Starts a Redis, the sample app and a Prometheus of its own on the loopback
interface and ends them. Exit code 1 when a rule fails its tests, a query brings no data, or a disaster makes its alert
neither pending nor firing within 30 seconds.`;

const log = (/** @type {string} */ line) => console.log(line);

/** @returns {Promise<number>} */
async function main() {
  const args = process.argv.slice(2);
  const startedAt = performance.now();
  if (args.includes('--help')) {
    log(usage);
    return 0;
  }
  const { checkAll } = await import('./observability/check-all.mjs');
  const failed = await checkAll(log, { isRulesOnly: args.includes('--rules'), isDrawing: args.includes('--charts') });
  log(`${failed === 0 ? 'passed' : 'failed'} in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  return failed;
}

requireSupportedNode();
main().then(
  (failed) => process.exit(failed === 0 ? 0 : 1),
  (error) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);

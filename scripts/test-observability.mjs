// npm run test:observability: needs Node and nothing else, so it uses no dependency before it has installed them.
import { requireSupportedNode } from './lib/node-version.mjs';

const usage = `npm run test:observability              the alert rules, and every query of the dashboard
npm run test:observability -- --rules   the alert rules alone

Uses prometheus and promtool from PATH; else, on Debian and Ubuntu, the distribution's package, unpacked below
.cache/prometheus without installing it. Starts a Redis, the sample app and a Prometheus of its own on the loopback
interface and ends them. Exit code 1 when a rule fails its tests or a query brings no data.`;

const log = (/** @type {string} */ line) => console.log(line);

/** @returns {Promise<number>} */
async function main() {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    log(usage);
    return 0;
  }
  const { findPrometheus } = await import('./observability/find-prometheus.mjs');
  const { checkRules } = await import('./observability/check-rules.mjs');
  const { prometheus, promtool, source } = await findPrometheus(log);
  log(`Prometheus from ${source}`);
  const failedRules = await checkRules(promtool, log);
  if (args.includes('--rules')) return failedRules;
  const { ensureInstalled } = await import('./lib/install.mjs');
  const { ensureBuilt } = await import('./lib/build.mjs');
  await ensureInstalled(log);
  await ensureBuilt(log);
  const { runQueries } = await import('./observability/run-queries.mjs');
  return failedRules + (await runQueries(prometheus, log));
}

requireSupportedNode();
main().then(
  (failed) => process.exit(failed === 0 ? 0 : 1),
  (error) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);

// npm run test:observability: needs Node and nothing else, so it uses no dependency before it has installed them.
import { runScript } from './lib/run-script.mjs';

const usage = `npm run test:observability              the alert rules, every query of the dashboard, and four disasters
npm run test:observability -- --rules   the alert rules alone
npm run charts:observability            the same as the first, and draws the charts of docs/observability.md

Uses prometheus and promtool from PATH; else, on Debian and Ubuntu, the distribution's package, unpacked below
.cache/prometheus without installing it. Starts a Redis, the sample app and a Prometheus of its own on the loopback
interface and ends them. Exit code 1 when a rule fails its tests, a query brings no data, or a disaster makes its alert
neither pending nor firing within 30 seconds.`;

runScript(usage, async (args, print) => {
  const startedAt = performance.now();
  const { checkAll } = await import('./observability/check-all.mjs');
  const failed = await checkAll(print, { isRulesOnly: args.includes('--rules'), isDrawing: args.includes('--charts') });
  print(`${failed === 0 ? 'passed' : 'failed'} in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  return failed === 0 ? 0 : 1;
});

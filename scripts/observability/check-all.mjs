import { ensureBuilt } from '../lib/build.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { checkRules } from './check-rules.mjs';
import { findPrometheus } from './find-prometheus.mjs';

/**
 * Checks the alert rules, and with a Prometheus that watches the sample app the dashboard and the alerts of four disasters.
 *
 * @param {(line: string) => void} log
 * @param {{ isRulesOnly?: boolean, isDrawing?: boolean }} [options] `isDrawing`: draw the charts of the documents too
 * @returns {Promise<number>} how many checks failed; each is a line that begins with `ok` or `FAIL`
 * @throws Error that tells how to get it, where there is no Prometheus
 */
export async function checkAll(log, { isRulesOnly = false, isDrawing = false } = {}) {
  const { prometheus, promtool, source } = await findPrometheus(log);
  log(`Prometheus from ${source}`);
  const failedRules = await checkRules(promtool, log);
  if (isRulesOnly) return failedRules;
  await ensureInstalled(log);
  await ensureBuilt(log);
  const { watchShop } = await import('./watch-shop.mjs');
  const { drawCharts } = await import('./draw-charts.mjs');
  return failedRules + (await watchShop(prometheus, log, isDrawing ? drawCharts : undefined));
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../lib/paths.mjs';

const file = path.join(root, 'deploy', 'observability', 'grafana', 'dashboards', 'task-streams.json');

/**
 * Every query of the dashboard, with Grafana's variables filled in as "All" does.
 *
 * @returns {Promise<readonly { panel: string, query: string }[]>}
 */
export async function readQueries() {
  /** @type {{ panels: { title: string, targets?: { expr: string }[] }[] }} */
  const { panels } = JSON.parse(await readFile(file, 'utf8'));
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ panel: title, query: fill(expr) })));
}

/** @param {string} query */
function fill(query) {
  return query.replaceAll(/\$(queue|task)\b/g, '.+').replaceAll('$__rate_interval', '15s');
}
